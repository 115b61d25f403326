package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// encodeSARIF writes a log of one run: version first, as the specification asks
// (SARIF 2.1.0, 3.13.2), without members that only repeat the schema's defaults.
// Some consumers take a written default, such as rank -1 or an empty
// relationships, for a statement.
func encodeSARIF(run *sarif.Run) ([]byte, error) {
	raw, err := json.Marshal(run)
	if err != nil {
		return nil, fmt.Errorf("encoding SARIF run: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("pruning SARIF run: %w", err)
	}
	prune(v)
	suppressAll(v)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(struct {
		Version string           `json:"version"`
		Schema  string           `json:"$schema"`
		Runs    []map[string]any `json:"runs"`
	}{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", []map[string]any{v}})
	return out.Bytes(), err
}

// prune drops members of m, at any depth, that say nothing. Property bags are
// ours and stay as they are.
func prune(m map[string]any) {
	for key, v := range m {
		switch v := v.(type) {
		case map[string]any:
			if key != "properties" {
				prune(v)
			}
		case []any:
			for _, e := range v {
				if e, ok := e.(map[string]any); ok {
					prune(e)
				}
			}
		}
		if saysNothing(key, m[key]) {
			delete(m, key)
		}
	}
}

// saysNothing reports whether a member is empty or has its default value (SARIF
// 2.1.0, 3.14, 3.19, 3.27, 3.28, 3.29, 3.38 and 3.50).
func saysNothing(key string, v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		// Without results or rules a consumer can't tell clean from not looked.
		return len(v) == 0 && key != "results" && key != "rules" ||
			slices.Contains([]string{"contents", "newlineSequences"}, key)
	case json.Number:
		return v == "-1" // an index, id or rank that is not set
	case bool:
		return key == "enabled" && v || key == "isComprehensive" && !v
	case string:
		return key == "language" && v == "en-US" || key == "kind" && v == "fail" || key == "importance" && v == "important"
	}
	return false
}
