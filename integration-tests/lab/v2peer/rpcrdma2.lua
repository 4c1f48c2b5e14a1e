-- Copyright 2026 The Netty RDMA authors
-- SPDX-License-Identifier: Apache-2.0

-- RPC-over-RDMA version 2 (draft -01) in iWARP Sends, from rpcrdma2.x. tshark's own dissector knows version 1 only.
-- README.md says with which options to use it. One Send is one "rpcrdma2" in the packet, or a "part of a Send" if it
-- is in several DDP segments and this is not the last.

local proto = Proto("rpcrdma2", "RPC-over-RDMA version 2")

local htypes = { [0] = "RDMA2_MSG", [1] = "RDMA2_NOMSG", [4] = "RDMA2_ERROR", [5] = "RDMA2_CONNPROP" }
local codes = { [1] = "VERS", [2] = "BAD_XDR", [3] = "BAD_PROPVAL", [4] = "INVAL_HTYPE", [5] = "INVAL_CONT",
  [6] = "READ_CHUNKS", [7] = "WRITE_CHUNKS", [8] = "SEGMENTS", [9] = "WRITE_RESOURCE", [10] = "REPLY_RESOURCE",
  [100] = "SYSTEM" }
local propids = { [1] = "SBSIZ", [2] = "RBSIZ", [3] = "RSSIZ", [4] = "RCSIZ", [5] = "BRS", [6] = "HOSTAUTH" }
local msg_types = { [0] = "Call", [1] = "Reply" }

local f = {}
local function field(name, kind, ...)
  local key = name:gsub("[.]", "_")
  f[key] = kind("rpcrdma2." .. name, ...)
end
field("length", ProtoField.uint32, "Octets of the message", base.DEC)
field("msn", ProtoField.uint32, "Sequence number of the Send", base.DEC)
field("invalidated", ProtoField.uint32, "Handle of the Send With Invalidate", base.HEX)
field("xid", ProtoField.uint32, "XID", base.HEX)
field("vers", ProtoField.uint32, "Version", base.DEC)
field("credit", ProtoField.uint32, "Credits", base.HEX)
field("credit.granted", ProtoField.uint32, "Newly granted", base.DEC, nil, 0x0000ffff)
field("credit.max", ProtoField.uint32, "Maximum", base.DEC, nil, 0xffff0000)
field("htype", ProtoField.uint32, "Header type", base.DEC, htypes)
field("flags", ProtoField.uint32, "Flags", base.HEX)
field("flags.response", ProtoField.bool, "RESPONSE", 32, nil, 0x1)
field("flags.more", ProtoField.bool, "MORE", 32, nil, 0x2)
field("flags.tpmore", ProtoField.bool, "TPMORE", 32, nil, 0x4)
field("flags.reserved", ProtoField.uint32, "Reserved", base.HEX, nil, 0xfffffff8)
field("refresh", ProtoField.bool, "Credit refresh")
field("inv_handle", ProtoField.uint32, "Nominated handle", base.HEX)
field("read", ProtoField.none, "Read segment")
field("write", ProtoField.none, "Write chunk")
field("reply", ProtoField.none, "Reply chunk")
field("segment", ProtoField.none, "Segment")
field("position", ProtoField.uint32, "Position", base.DEC)
field("segments", ProtoField.uint32, "Segment count", base.DEC)
field("handle", ProtoField.uint32, "Handle", base.HEX)
field("segment_length", ProtoField.uint32, "Length", base.DEC)
field("offset", ProtoField.uint64, "Offset", base.HEX)
field("payload_length", ProtoField.uint32, "Octets of the payload", base.DEC)
field("payload", ProtoField.bytes, "Payload")
field("rpc.xid", ProtoField.uint32, "First word of the payload", base.HEX)
field("rpc.msg_type", ProtoField.uint32, "Second word of the payload", base.DEC, msg_types)
field("properties", ProtoField.uint32, "Property count", base.DEC)
field("property", ProtoField.none, "Property")
field("prop.which", ProtoField.uint32, "Property", base.DEC, propids)
field("prop.length", ProtoField.uint32, "Length", base.DEC)
field("prop.value", ProtoField.uint32, "Value", base.DEC)
field("prop.data", ProtoField.bytes, "Data")
field("part_of_set", ProtoField.bytes, "Part of a continued property set")
field("err", ProtoField.uint32, "Error", base.DEC, codes)
field("err.vers_low", ProtoField.uint32, "Lowest version", base.DEC)
field("err.vers_high", ProtoField.uint32, "Highest version", base.DEC)
field("err.max_chunks", ProtoField.uint32, "Chunks at most", base.DEC)
field("err.max_segments", ProtoField.uint32, "Segments at most", base.DEC)
field("err.chunk_index", ProtoField.uint32, "Index of the chunk", base.DEC)
field("err.length_needed", ProtoField.uint32, "Octets needed", base.DEC)
field("err.rfc8166", ProtoField.bool, "In the layout of RFC 8166")
field("part", ProtoField.bytes, "Part of a Send")
field("other", ProtoField.bytes, "What another version has here")
field("malformed", ProtoField.string, "Malformed")
local list = {}
for _, one in pairs(f) do list[#list + 1] = one end
proto.fields = list
local bad = ProtoExpert.new("rpcrdma2.bad", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = { bad }

local ddp_last, ddp_offset = Field.new("iwarp_ddp.last_flag"), Field.new("iwarp_ddp.mo")
local ddp_msn, rdma_inval = Field.new("iwarp_ddp.msn"), Field.new("iwarp_rdma.inval_stag")
local rdma_opcode, tcp_stream = Field.new("iwarp_rdma.opcode"), Field.new("tcp.stream")
local SEND_WITH_INVALIDATE, MIN_ANY, PREFIX, SEGMENT = 4, 16, 20, 16

-- Of several messages in a frame the one being dissected is the last so far.
local function latest(getter)
  local all = { getter() }
  return #all > 0 and all[#all].value or nil
end

local function number(value)
  return type(value) == "boolean" and (value and 1 or 0) or tonumber(tostring(value))
end

-- Octets that may run out: every read past the end is an error that dissect() catches.
local Walk = {}
Walk.__index = Walk
function Walk:need(octets)
  if self.at + octets > self.tvb:len() then error({ bad = "the message ends too early" }) end
end
function Walk:word()
  self:need(4)
  self.at = self.at + 4
  return self.tvb(self.at - 4, 4):uint()
end
function Walk:add(tree, what)
  local value = self:word()
  tree:add(what, self.tvb(self.at - 4, 4))
  return value
end
function Walk:present()
  local value = self:word()
  if value > 1 then error({ bad = "neither present nor absent" }) end
  return value == 1
end
function Walk:rest() return self.tvb:len() - self.at end

local function segment(walk, tree)
  walk:need(SEGMENT)
  local branch = tree:add(f.segment, walk.tvb(walk.at, SEGMENT))
  walk:add(branch, f.handle)
  walk:add(branch, f.segment_length)
  branch:add(f.offset, walk.tvb(walk.at, 8))
  walk.at = walk.at + 8
end

local function chunk(walk, tree, kind)
  walk:need(4)
  local branch = tree:add(kind, walk.tvb(walk.at, 4))
  local count = walk:add(branch, f.segments)
  if count * SEGMENT > walk:rest() then error({ bad = "more segments than octets" }) end
  for _ = 1, count do segment(walk, branch) end
end

local function lists(walk, tree)
  walk:add(tree, f.inv_handle)
  while walk:present() do
    walk:need(4 + SEGMENT)
    local branch = tree:add(f.read, walk.tvb(walk.at, 4 + SEGMENT))
    walk:add(branch, f.position)
    segment(walk, branch)
  end
  while walk:present() do chunk(walk, tree, f.write) end
  if walk:present() then chunk(walk, tree, f.reply) end
end

local function properties(walk, tree)
  local count = walk:add(tree, f.properties)
  for _ = 1, count do
    walk:need(8)
    local branch = tree:add(f.property, walk.tvb(walk.at, 8))
    local which = walk:add(branch, f.prop_which)
    local length = walk:add(branch, f.prop_length)
    local padded = length + (4 - length % 4) % 4
    walk:need(padded)
    if which >= 1 and which <= 5 and length == 4 then
      branch:add(f.prop_value, walk.tvb(walk.at, 4))
    elseif length > 0 then
      branch:add(f.prop_data, walk.tvb(walk.at, length))
    end
    walk.at = walk.at + padded
  end
  if walk:rest() > 0 then error({ bad = "octets behind the properties" }) end
end

local function error_arms(walk, tree)
  local code = walk:add(tree, f.err)
  if code == 1 then
    walk:add(tree, f.err_vers_low)
    walk:add(tree, f.err_vers_high)
  elseif code == 6 or code == 7 then
    walk:add(tree, f.err_max_chunks)
  elseif code == 8 then
    walk:add(tree, f.err_max_segments)
  elseif code == 9 then
    walk:add(tree, f.err_chunk_index)
    walk:add(tree, f.err_length_needed)
  elseif code == 10 then
    walk:add(tree, f.err_length_needed)
  end
  if walk:rest() > 0 then error({ bad = "octets behind the error" }) end
end

-- A sequence of CONNPROPs has one set of properties in all of them: per stream and direction, what there is so far.
local continued, whole_sets = {}, {}

local function connprop(walk, tree, pinfo, more, key)
  local rest = walk:rest() > 0 and walk.tvb(walk.at) or nil
  local id = pinfo.number .. "/" .. walk.msn
  if not pinfo.visited and rest ~= nil then
    local before = continued[key]
    if before ~= nil or more then
      local all = before or ByteArray.new()
      all:append(rest:bytes())
      continued[key] = more and all or nil
      if not more then whole_sets[id] = all end
    end
  end
  if more or whole_sets[id] ~= nil then
    if rest ~= nil then tree:add(f.part_of_set, rest) end
    walk.at = walk.tvb:len()
    if more then return end
    walk = setmetatable({ tvb = whole_sets[id]:tvb("Property set"), at = 0 }, Walk)
  end
  properties(walk, tree)
end

local function body(walk, tree, pinfo, htype, flags, key)
  if htype == 0 or htype == 1 then
    lists(walk, tree)
    if htype == 0 then
      tree:add(f.payload_length, walk:rest()):set_generated()
      if walk:rest() == 0 then error({ bad = "no payload" }) end
      local payload = walk.tvb(walk.at)
      tree:add(f.payload, payload)
      if payload:len() >= 8 then
        tree:add(f.rpc_xid, payload(0, 4))
        tree:add(f.rpc_msg_type, payload(4, 4))
      end
    elseif walk:rest() > 0 then
      error({ bad = "octets behind the lists" })
    end
  elseif htype == 4 then
    error_arms(walk, tree)
  elseif htype == 5 then
    connprop(walk, tree, pinfo, bit.band(flags, 2) ~= 0, key)
  end
end

local function is_rfc8166_error(tvb)
  if tvb:len() ~= 28 or tvb(12, 4):uint() ~= 4 or tvb(16, 4):uint() ~= 1 then return false end
  local code = tvb(20, 4):uint()
  return tvb(4, 4):uint() ~= 2 or not (code == 6 or code == 7 or code == 8 or code == 10)
end

local function is_refresh(tvb)
  return tvb:len() == 36 and tvb(0, 4):uint() == 0 and tvb(12, 4):uint() == 1 and tvb(24, 4):uint() == 0 and
    tvb(28, 4):uint() == 0 and tvb(32, 4):uint() == 0
end

local function message(tvb, pinfo, root, msn, key)
  pinfo.cols.protocol = "RPCRDMA2"
  local tree = root:add(proto, tvb(0))
  tree:add(f.length, tvb:len()):set_generated()
  tree:add(f.msn, msn):set_generated()
  if number(latest(rdma_opcode)) == SEND_WITH_INVALIDATE then
    tree:add(f.invalidated, number(latest(rdma_inval))):set_generated()
  end
  local walk = setmetatable({ tvb = tvb, at = 0, msn = msn }, Walk)
  local ok, problem = pcall(function()
    if tvb:len() < MIN_ANY then error({ bad = "shorter than any version's" }) end
    walk:add(tree, f.xid)
    local version = walk:add(tree, f.vers)
    local credit = tree:add(f.credit, tvb(8, 4))
    credit:add(f.credit_max, tvb(8, 4))
    credit:add(f.credit_granted, tvb(8, 4))
    walk.at = 12
    local htype = walk:add(tree, f.htype)
    if is_rfc8166_error(tvb) then
      tree:add(f.err_rfc8166, true):set_generated()
      error_arms(walk, tree)
      return
    elseif version ~= 2 then
      if walk:rest() > 0 then tree:add(f.other, tvb(walk.at)) end
      return
    end
    if tvb:len() < PREFIX then error({ bad = "shorter than the prefix" }) end
    local flags = tvb(16, 4):uint()
    local branch = tree:add(f.flags, tvb(16, 4))
    for _, name in ipairs({ "reserved", "tpmore", "more", "response" }) do
      branch:add(f["flags_" .. name], tvb(16, 4))
    end
    walk.at = PREFIX
    if is_refresh(tvb) then tree:add(f.refresh, true):set_generated() end
    pinfo.cols.info:append(string.format(" %s xid %08x", htypes[htype] or htype, tvb(0, 4):uint()))
    body(walk, tree, pinfo, htype, flags, key)
  end)
  if not ok then
    local text = type(problem) == "table" and problem.bad or tostring(problem)
    tree:add(f.malformed, text):set_generated()
    tree:add_proto_expert_info(bad, text)
  end
end

-- Sends of several segments, per stream and direction; in a second pass by frame and MSN.
local parts, wholes, known = {}, {}, {}

function proto.init()
  parts, wholes, known, continued, whole_sets = {}, {}, {}, {}, {}
end

local function heuristic(tvb, pinfo, root)
  local opcode, stream = number(latest(rdma_opcode)), number(latest(tcp_stream)) or 0
  if opcode == nil or opcode < 3 or opcode > 6 then return false end
  local first = number(latest(ddp_offset)) == 0
  if not known[stream] then
    -- The first message of a connection decides.
    if not first or tvb:len() < PREFIX or tvb(4, 4):uint() ~= 2 or tvb(12, 4):uint() > 5 then return false end
    known[stream] = true
  end
  local msn = number(latest(ddp_msn)) or 0
  local key = stream .. "/" .. tostring(pinfo.src) .. "/" .. pinfo.src_port
  local id = pinfo.number .. "/" .. msn .. "/" .. (number(latest(ddp_offset)) or 0)
  local last = number(latest(ddp_last)) == 1
  if not pinfo.visited and not (first and last) then
    local all = not first and parts[key] or ByteArray.new()
    all:append(tvb:bytes())
    parts[key] = not last and all or nil
    if last then wholes[id] = all end
  end
  if not last then
    root:add(proto, tvb(0)):add(f.part, tvb(0))
    return true
  end
  message(wholes[id] ~= nil and wholes[id]:tvb("Send") or tvb, pinfo, root, msn, key)
  return true
end

proto:register_heuristic("iwarp_ddp_rdmap", heuristic)
