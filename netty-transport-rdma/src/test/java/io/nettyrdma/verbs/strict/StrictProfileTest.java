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
package io.nettyrdma.verbs.strict;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The build's profile that runs the tests with a few traits at a time leaves none out. */
final class StrictProfileTest {

    private static final String EXECUTIONS = "/project/profiles/profile[id='strict']"
            + "//plugin[artifactId='maven-surefire-plugin']/executions/execution[goals]";
    private static final String[] TRAITS =
            Arrays.stream(Trait.values()).map(Trait::name).toArray(String[]::new);

    @Test
    void profileHasEachTraitOnce() throws Exception {
        List<String> traits = texts("/configuration/systemPropertyVariables/strict.traits");

        assertThat(traits.stream().flatMap(it -> Arrays.stream(it.split(",")))).containsExactlyInAnyOrder(TRAITS);
        assertThat(texts("/id"))
                .as("each under its own name")
                .isEqualTo(traits.stream().map(it -> it.replace(',', '-')).toList());
        assertThat(texts("/configuration/reportNameSuffix"))
                .as("no report over another's")
                .isEqualTo(texts("/id"));
    }

    private static List<String> texts(String path) throws Exception {
        // Tests run in the directory of their module.
        Document pom = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("..", "pom.xml").toFile());
        NodeList nodes = (NodeList)
                XPathFactory.newInstance().newXPath().evaluate(EXECUTIONS + path, pom, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }
}
