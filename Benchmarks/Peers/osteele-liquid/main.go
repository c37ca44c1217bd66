// SPDX-License-Identifier: MIT

// Times the workloads of a file in osteele/liquid, and prints what `liquid-server bench` prints.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"time"

	"github.com/osteele/liquid"
)

type workload struct {
	ID        string
	Templates []string
	Data      []map[string]any
	Parse     bool
}

// typed gives a number of JSON the type that it has in the text: an integer stays one.
func typed(value any) any {
	switch value := value.(type) {
	case json.Number:
		if integer, err := value.Int64(); err == nil {
			return int(integer)
		}
		number, _ := value.Float64()
		return number
	case map[string]any:
		for key, member := range value {
			value[key] = typed(member)
		}
	case []any:
		for index, element := range value {
			value[index] = typed(element)
		}
	}
	return value
}

// median is the nanoseconds an operation takes: the median of five samples of at least a quarter of a second.
func median(operations int, run func()) float64 {
	samples := make([]float64, 5)
	for index := range samples {
		start, passes := time.Now(), 0
		for time.Since(start) < 250*time.Millisecond {
			run()
			passes++
		}
		samples[index] = float64(time.Since(start).Nanoseconds()) / float64(passes*operations)
	}
	sort.Float64s(samples)
	return samples[2]
}

func parse(engine *liquid.Engine, sources []string) []*liquid.Template {
	templates := make([]*liquid.Template, len(sources))
	for index, source := range sources {
		template, err := engine.ParseString(source)
		if err != nil {
			log.Fatal(err)
		}
		templates[index] = template
	}
	return templates
}

func render(templates []*liquid.Template, data []map[string]any, each func([]byte)) {
	for _, object := range data {
		for _, template := range templates {
			text, err := template.Render(object)
			if err != nil {
				log.Fatal(err)
			}
			each(text)
		}
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var workloads []workload
	if err := decoder.Decode(&workloads); err != nil {
		log.Fatal(err)
	}
	for _, work := range workloads {
		for _, object := range work.Data {
			typed(object)
		}
		engine := liquid.NewEngine()
		result := map[string]any{"case": work.ID, "phase": "parse", "sha": ""}
		if work.Parse {
			result["ns"] = median(len(work.Templates), func() { parse(engine, work.Templates) })
		} else {
			templates, hash := parse(engine, work.Templates), sha256.New()
			render(templates, work.Data, func(text []byte) { hash.Write(text) })
			result["phase"], result["sha"] = "render", fmt.Sprintf("%x", hash.Sum(nil))[:12]
			result["ns"] = median(len(templates)*len(work.Data), func() {
				render(templates, work.Data, func([]byte) {})
			})
		}
		line, _ := json.Marshal(result)
		fmt.Println(string(line))
	}
}
