module osteele-liquid

go 1.25.0

require github.com/osteele/liquid v1.9.2

require (
	github.com/osteele/tuesday v1.1.1 // indirect
	gopkg.in/yaml.v2 v2.4.0 // indirect
)
