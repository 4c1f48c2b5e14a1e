# Reads, writes, truncations and emptied caches at random, in a file of the current directory, checked against a copy in
# memory. Arguments: seed, seconds.
use strict; use warnings; $| = 1;
my ($seed, $seconds) = @ARGV; srand($seed); print "seed $seed\n";
my ($limit, $memory, $count, $end) = (3 << 20, "", 0, time + $seconds);
sub file { open my $f, $_[0], "random-io" or die $!; binmode $f; $f }
my $f = file("+>");
while (time < $end) {
  my ($what, $at, $n) = (rand 10, int rand $limit, 1 + int rand(rand() < .5 ? 9000 : 700000));
  $count++;
  if ($what < 5) {
    my $data = pack("N", $count) x (1 + $n / 4); $data = substr $data, 0, $n;
    $memory .= "\0" x ($at - length $memory) if $at > length $memory;
    substr($memory, $at, $n) = $data;
    sysseek $f, $at, 0; my $w = syswrite $f, $data; die "write $!" unless $w == $n;
  } elsif ($what < 8.5) {
    next if $at >= length $memory;
    sysseek $f, $at, 0; my $got = ""; my $r = sysread $f, $got, $n; die "read $!" unless defined $r;
    $got eq substr $memory, $at, $r or die "operation $count: wrong data in $at+$r";
    $r == $n || $at + $r == length $memory or die "operation $count: short read $at+$n: $r";
  } elsif ($what < 9.2) {
    truncate $f, $at or die $!;
    $memory = $at < length $memory ? substr $memory, 0, $at : $memory . "\0" x ($at - length $memory);
  } else {
    close $f or die "close $!";
    if (open my $drop, ">", "/proc/sys/vm/drop_caches") { print $drop "1\n"; close $drop; }
    $f = file("+<");
  }
  die "operation $count: size" unless -s $f == length $memory;
}
print "$count operations\n";
