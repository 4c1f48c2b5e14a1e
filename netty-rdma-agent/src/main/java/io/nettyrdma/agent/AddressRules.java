// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The addresses whose sockets become RDMA: all but those of {@code tcp=}, or none but those of {@code rdma=}. An
 * address is that of the peer, or for a listener its own. A listener on all addresses is on each network of {@code
 * rdma=}, and on none of {@code tcp=}.
 *
 * <p>Threading: immutable.
 */
final class AddressRules {

    static final String USAGE = "options: tcp=ADDRESS leaves sockets to TCP, rdma=ADDRESS moves no others; ADDRESS is"
            + " PORT, HOST, NETWORK/BITS, HOST:PORT or NETWORK/BITS:PORT; PORT may be a range, such as 8000-8099; IPv6"
            + " in brackets; separate options by commas";

    private static final Pattern ADDRESS =
            Pattern.compile("(?:(?<host>\\[[0-9a-fA-F:.]+]|[\\w.-]*[a-zA-Z.][\\w.-]*)(?:/(?<bits>\\d{1,3}))?"
                    + "(?:$|:(?=\\d)))?(?:(?<from>\\d{1,5})(?:-(?<to>\\d{1,5}))?)?");
    private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
    private static final Pattern LITERAL = Pattern.compile("\\[.*]|(?:" + BYTE + "\\.){3}" + BYTE);
    private static final String LABEL = "\\w(?:[\\w-]*\\w)?";
    private static final Pattern NAME = Pattern.compile("(?:" + LABEL + "\\.)*(?!\\d+\\.?$)" + LABEL + "\\.?");
    private static final int MAX_PORT = 0xffff;

    private final String text;
    private final boolean moves;
    private final List<Place> places;

    private AddressRules(String text, boolean moves, List<Place> places) {
        this.text = text;
        this.moves = moves;
        this.places = places;
    }

    /**
     * Ports of a host, a network or all addresses.
     *
     * @param name    the host's name, or {@code null}
     * @param network an address of the network, or {@code null}
     * @param bits    of the network that count
     */
    private record Place(@Nullable String name, @Nullable InetAddress network, int bits, int from, int to) {

        /**
         * Returns whether an address is one of this place.
         *
         * @param host of the address, if this place has a network and the name is known
         */
        boolean has(InetSocketAddress address, @Nullable InetAddress host, boolean wildcardIsInside) {
            if (address.getPort() < from || address.getPort() > to) {
                return false;
            }
            if (name != null) {
                return name.equalsIgnoreCase(address.getHostString());
            }
            return network == null || host != null && (host.isAnyLocalAddress() ? wildcardIsInside : isInside(host));
        }

        private boolean isInside(InetAddress host) {
            byte[] expected = network == null ? host.getAddress() : network.getAddress();
            byte[] actual = host.getAddress();
            if (expected.length != actual.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                int mask = 0x80 >> bit % Byte.SIZE;
                if (((expected[bit / Byte.SIZE] ^ actual[bit / Byte.SIZE]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Reads the options of the agent.
     *
     * @throws IllegalArgumentException if one is wrong; the message says which and why
     */
    static AddressRules parse(String options) {
        List<Place> places = new ArrayList<>();
        boolean moves = false;
        for (String option : options.isEmpty() ? new String[0] : options.split(",", -1)) {
            boolean rdma = option.startsWith("rdma=");
            if (!rdma && !option.startsWith("tcp=")) {
                throw new IllegalArgumentException("unknown option \"" + option + '"');
            }
            if (!places.isEmpty() && rdma != moves) {
                throw new IllegalArgumentException("tcp= and rdma= in one line (expected: one of them)");
            }
            moves = rdma;
            places.add(place(option, option.substring(option.indexOf('=') + 1)));
        }
        return new AddressRules(options, moves, places);
    }

    private static Place place(String option, String address) {
        Matcher matcher = ADDRESS.matcher(address);
        if (address.isEmpty() || !matcher.matches()) {
            throw new IllegalArgumentException("\"" + option + "\" names no address");
        }
        String host = matcher.group("host");
        String bits = matcher.group("bits");
        int from = port(option, matcher.group("from"), 0);
        int to = port(option, matcher.group("to"), matcher.group("from") == null ? MAX_PORT : from);
        if (from > to) {
            throw new IllegalArgumentException("\"" + option + "\" names no range of ports");
        }
        if (host == null || !LITERAL.matcher(host).matches()) {
            if (host != null && !NAME.matcher(host).matches()) {
                throw new IllegalArgumentException("\"" + option + "\" names no host (expected: four numbers up to 255,"
                        + " or a name; its parts begin and end with a letter or digit, and the last is no number)");
            }
            if (bits != null) {
                throw new IllegalArgumentException("\"" + option + "\" has /BITS, which only IP addresses may have");
            }
            return new Place(host, null, 0, from, to);
        }
        try {
            InetAddress network = InetAddress.getByName(host);
            int length = network.getAddress().length * Byte.SIZE;
            int counted = bits == null ? length : Integer.parseInt(bits);
            if (counted > length) {
                throw new IllegalArgumentException("\"" + option + "\" has more bits than an address (" + length + ')');
            }
            if (network.isAnyLocalAddress() && counted == length && option.startsWith("tcp=")) {
                throw new IllegalArgumentException(
                        "\"" + option + "\" names no address of a peer; name a listener on all addresses by its port");
            }
            return new Place(null, network, counted, from, to);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("\"" + option + "\" names no IP address", e);
        }
    }

    private static int port(String option, @Nullable String digits, int otherwise) {
        int port = digits == null ? otherwise : Integer.parseInt(digits);
        if (port > MAX_PORT) {
            throw new IllegalArgumentException("\"" + option + "\" names no port (expected: 0-" + MAX_PORT + ')');
        }
        return port;
    }

    /**
     * Returns whether the socket of an address becomes RDMA.
     *
     * @param address an {@code InetSocketAddress}, or another object if the address is not known
     */
    boolean moves(@Nullable Object address) {
        return (address instanceof InetSocketAddress inet && isNamed(inet)) == moves;
    }

    /** Returns the advice to leave an address, called "it", to TCP. */
    String toLeave(String address) {
        return moves
                ? "let none of the agent's options rdma= name it"
                : "leave it to TCP by the agent's option tcp=" + address;
    }

    /** Returns the hosts of the options that the JDK does not find. Looks them up, which may take seconds. */
    List<String> unknownHosts() {
        return places.stream()
                .map(Place::name)
                .filter(name -> name != null && new InetSocketAddress(name, 0).isUnresolved())
                .toList();
    }

    private boolean isNamed(InetSocketAddress address) {
        boolean anyNetwork = places.stream().anyMatch(place -> place.network() != null);
        InetAddress host = anyNetwork ? resolve(address) : null;
        return places.stream().anyMatch(place -> place.has(address, host, moves));
    }

    /** Returns the host; a name that has not been looked up is, by the JDK, which Netty does by default. */
    private static @Nullable InetAddress resolve(InetSocketAddress address) {
        return address.isUnresolved()
                ? new InetSocketAddress(address.getHostString(), address.getPort()).getAddress()
                : address.getAddress();
    }

    /** Returns the end of the sentence "sockets become RDMA". */
    @Override
    public String toString() {
        if (places.isEmpty()) {
            return "";
        }
        String addresses = Arrays.stream(text.split(","))
                .map(option -> option.substring(option.indexOf('=') + 1))
                .collect(Collectors.joining(", "));
        return (moves ? " if their address is one of " : ", but for the addresses ") + addresses;
    }
}
