/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.conformance;

/**
 * One numbered requirement. Its text is left in the file.
 *
 * @param level an RFC 2119 word, or {@code DEF} for what a text defines without one
 * @param role  who has to obey
 */
record RequirementRow(String id, String level, String role) {

    boolean isMandatory() {
        return level.equals("MUST") || level.equals("MUST NOT");
    }

    /** {@code V1} of {@code V1-012}. */
    String family() {
        return id.substring(0, id.indexOf('-'));
    }
}
