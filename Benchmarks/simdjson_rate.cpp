// SPDX-License-Identifier: MIT
// How fast one thread parses a file of NDJSON into simdjson's DOM: the file is in memory, every line is one document.
// Prints documents, and the CPU seconds of the fastest of five passes.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <simdjson.h>

int main(int count, char **arguments) {
    if (count != 2) return 64;
    simdjson::padded_string json;
    if (simdjson::padded_string::load(arguments[1]).get(json)) return 66;
    simdjson::dom::parser parser;
    double fastest = 1e9;
    size_t documents = 0;
    for (int pass = 0; pass < 5; pass++) {
        documents = 0;
        clock_t start = clock();
        const char *line = json.data(), *end = line + json.size();
        while (line < end) {
            auto newline = static_cast<const char *>(memchr(line, '\n', end - line));
            size_t length = (newline ? newline : end) - line;
            // The next line, and at the end the padding, lies behind: nothing is copied.
            simdjson::dom::element document;
            if (parser.parse(line, length, false).get(document)) return 65;
            documents++;
            line += length + 1;
        }
        double passed = double(clock() - start) / CLOCKS_PER_SEC;
        if (passed < fastest) fastest = passed;
    }
    printf("%zu %.6f\n", documents, fastest);
}
