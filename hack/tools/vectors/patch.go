package main

import (
	"encoding/json"
	"strings"

	kjson "sigs.k8s.io/json"
)

// jsonPatchOp is what `k8s.io/apiserver/pkg/endpoints/handlers` reads a patch by first.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

func judgeJSONPatch(line Line) {
	judgePatch(line)
	if _, there := line["warnError"]; there {
		var operations []jsonPatchOp
		_, err := kjson.UnmarshalStrict([]byte(line.text("patch")), &operations)
		line.set("warnError", strings.ReplaceAll(err.Error(), "main.", "handlers."))
	}
}

// judgePatch: a patch that is no JSON is refused before all else (`k8s.io/apiserver/pkg/endpoints/handlers`,
// validateAndTranscodePatch).
func judgePatch(line Line) {
	if json.Valid([]byte(line.text("patch"))) {
		return
	}
	for member := range line {
		if member != "id" && member != "doc" && member != "patch" && member != "why" {
			delete(line, member)
		}
	}
	line.set("error", map[string]any{"code": 400, "message": "invalid JSON patch", "stage": "decode"})
}
