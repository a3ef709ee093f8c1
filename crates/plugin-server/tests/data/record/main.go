// Records what Terraform's own checks say about random plans and results, for the test of HostChecks.
// record.sh runs this inside Terraform's module, because the checks are internal packages.
//
// Each schema is a line, and its cases follow. A case is ["plan", accepted, prior, config, planned] or
// ["result", accepted, planned, actual]. Objects are lists of their members by name, and an unknown
// value is {"?":0}.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sort"

	"github.com/zclconf/go-cty/cty"

	"github.com/hashicorp/terraform/internal/configs/configschema"
	"github.com/hashicorp/terraform/internal/plans/objchange"
)

var (
	seed    = flag.Int64("seed", 1, "the seed of the random schemas and values")
	schemas = flag.Int("schemas", 150, "the number of schemas")
	cases   = flag.Int("cases", 27, "the number of plans of each schema, and of results")
	random  *rand.Rand
)

func main() {
	flag.Parse()
	random = rand.New(rand.NewSource(*seed))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	write := func(line any) {
		text, err := json.Marshal(line)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "%s\n", text)
	}
	for range *schemas {
		block := randomBlock(2)
		write(blockJSON(block))
		for range *cases {
			config := blockValue(block, inConfig)
			prior := priorOf(block, config)
			planned := plannedOf(block, prior, config)
			if accepted, ok := answer(func() bool { return planIsValid(block, prior, config, planned) }); ok {
				write([]any{"plan", accepted, valueJSON(prior), valueJSON(config), valueJSON(planned)})
			}
			actual := actualOf(block, planned)
			if accepted, ok := answer(func() bool { return resultIsValid(block, planned, actual) }); ok {
				write([]any{"result", accepted, valueJSON(planned), valueJSON(actual)})
			}
		}
	}
}

func planIsValid(block *configschema.Block, prior, config, planned cty.Value) bool {
	return len(objchange.AssertPlanValid(block, prior, config, planned)) == 0
}

func resultIsValid(block *configschema.Block, planned, actual cty.Value) bool {
	return len(objchange.AssertObjectCompatible(block, planned, actual)) == 0
}

// answer is not ok where Terraform panics. Such a case is left out: it has no answer to compare with.
func answer(check func() bool) (accepted, ok bool) {
	defer func() { _ = recover() }()
	return check(), true
}

// --- Schemas

func oneIn(n int) bool { return random.Intn(n) == 0 }

func randomBlock(depth int) *configschema.Block {
	block := &configschema.Block{Attributes: attributes(depth), BlockTypes: map[string]*configschema.NestedBlock{}}
	modes := []configschema.NestingMode{configschema.NestingSingle, configschema.NestingGroup,
		configschema.NestingList, configschema.NestingSet, configschema.NestingMap}
	for _, name := range []string{"p", "q"} {
		if depth > 0 && oneIn(2) {
			mode := modes[random.Intn(len(modes))]
			inner := randomBlock(depth - 1)
			block.BlockTypes[name] = &configschema.NestedBlock{Nesting: mode, Block: *inner}
		}
	}
	return block
}

func attributes(depth int) map[string]*configschema.Attribute {
	all := map[string]*configschema.Attribute{}
	for _, name := range []string{"a", "b", "c"}[:1+random.Intn(3)] {
		attribute := &configschema.Attribute{}
		switch random.Intn(6) {
		case 0:
			attribute.Required = true
		case 1, 2:
			attribute.Optional = true
		case 3:
			attribute.Computed = true
		default:
			attribute.Optional, attribute.Computed = true, true
		}
		modes := []configschema.NestingMode{configschema.NestingSingle, configschema.NestingList,
			configschema.NestingSet, configschema.NestingMap}
		if depth > 0 && oneIn(3) {
			mode := modes[random.Intn(len(modes))]
			attribute.NestedType = &configschema.Object{Nesting: mode, Attributes: attributes(depth - 1)}
		} else {
			attribute.Type = randomType(2)
		}
		all[name] = attribute
	}
	return all
}

func randomType(depth int) cty.Type {
	kinds := 7
	if depth == 0 {
		kinds = 3
	}
	switch random.Intn(kinds) {
	case 0:
		return cty.Bool
	case 1:
		return cty.Number
	case 3:
		return cty.List(randomType(depth - 1))
	case 4:
		return cty.Set(randomType(depth - 1))
	case 5:
		return cty.Map(randomType(depth - 1))
	case 6:
		return cty.Object(map[string]cty.Type{"k": randomType(depth - 1), "l": randomType(depth - 1)})
	default:
		return cty.String
	}
}

// --- Values

// The rules by which a value is made.
type purpose int

const (
	inConfig purpose = iota
	inState
)

// randomValue returns any value of a type; unknown and null ones as well.
func randomValue(ty cty.Type, purpose purpose) cty.Value {
	switch {
	case oneIn(8):
		return cty.NullVal(ty)
	case purpose == inConfig && oneIn(8):
		return cty.UnknownVal(ty)
	}
	return knownValue(ty, purpose)
}

func knownValue(ty cty.Type, purpose purpose) cty.Value {
	switch {
	case ty == cty.Bool:
		return cty.BoolVal(oneIn(2))
	case ty == cty.Number:
		return []cty.Value{cty.Zero, cty.NumberIntVal(1), cty.MustParseNumberVal("0.1"), cty.NumberFloatVal(0.5)}[random.Intn(4)]
	case ty == cty.String:
		return cty.StringVal([]string{"", "x", "y", "z"}[random.Intn(4)])
	case ty.IsObjectType():
		members := map[string]cty.Value{}
		types := ty.AttributeTypes()
		for _, name := range sorted(types) {
			members[name] = randomValue(types[name], purpose)
		}
		return cty.ObjectVal(members)
	default:
		element := func() cty.Value { return randomValue(ty.ElementType(), purpose) }
		return collection(ty, element)
	}
}

// collection returns a list, a set or a map with up to two elements.
func collection(ty cty.Type, element func() cty.Value) cty.Value {
	keys := []string{"j", "k"}[:random.Intn(3)]
	elements := []cty.Value{}
	for range keys {
		elements = append(elements, element())
	}
	return collectionOf(ty, keys, elements)
}

// collectionOf returns a collection of these elements; only a map has the keys.
func collectionOf(ty cty.Type, keys []string, elements []cty.Value) cty.Value {
	switch {
	case len(elements) == 0 && ty.IsListType():
		return cty.ListValEmpty(ty.ElementType())
	case len(elements) == 0 && ty.IsSetType():
		return cty.SetValEmpty(ty.ElementType())
	case len(elements) == 0:
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsListType():
		return cty.ListVal(elements)
	case ty.IsSetType():
		return cty.SetVal(elements)
	}
	entries := map[string]cty.Value{}
	for index, key := range keys {
		entries[key] = elements[index]
	}
	return cty.MapVal(entries)
}

func attributeValue(attribute *configschema.Attribute, purpose purpose) cty.Value {
	ty := attribute.ImpliedType()
	if purpose == inConfig && attribute.Computed && !attribute.Optional {
		return cty.NullVal(ty)
	}
	if !attribute.Required && oneIn(3) {
		return cty.NullVal(ty)
	}
	if purpose == inConfig && oneIn(8) {
		return cty.UnknownVal(ty)
	}
	nested := attribute.NestedType
	if nested == nil {
		return knownValue(ty, purpose)
	}
	object := func() cty.Value { return cty.ObjectVal(attributeValues(nested.Attributes, purpose)) }
	if nested.Nesting == configschema.NestingSingle {
		return object()
	}
	return collection(ty, object)
}

func attributeValues(all map[string]*configschema.Attribute, purpose purpose) map[string]cty.Value {
	members := map[string]cty.Value{}
	for _, name := range sorted(all) {
		members[name] = attributeValue(all[name], purpose)
	}
	return members
}

func blockValue(block *configschema.Block, purpose purpose) cty.Value {
	members := attributeValues(block.Attributes, purpose)
	types := block.ImpliedType().AttributeTypes()
	for _, name := range sorted(block.BlockTypes) {
		nested := block.BlockTypes[name]
		object := func() cty.Value { return blockValue(&nested.Block, purpose) }
		switch {
		case nested.Nesting == configschema.NestingSingle && oneIn(3):
			members[name] = cty.NullVal(types[name])
		case nested.Nesting == configschema.NestingSingle, nested.Nesting == configschema.NestingGroup:
			members[name] = object()
		case purpose == inConfig && oneIn(10):
			members[name] = cty.UnknownVal(types[name])
		default:
			members[name] = collection(types[name], object)
		}
	}
	return cty.ObjectVal(members)
}

func priorOf(block *configschema.Block, config cty.Value) cty.Value {
	switch random.Intn(3) {
	case 0:
		return cty.NullVal(block.ImpliedType())
	case 1:
		return blockValue(block, inState)
	}
	// What an apply of this configuration may have stored.
	planned := objchange.ProposedNew(block, cty.NullVal(block.ImpliedType()), config)
	return settled(planned)
}

func plannedOf(block *configschema.Block, prior, config cty.Value) cty.Value {
	return changed(objchange.ProposedNew(block, prior, config))
}

func actualOf(block *configschema.Block, planned cty.Value) cty.Value {
	actual := planned
	if !oneIn(6) {
		actual = settled(planned)
	}
	if oneIn(20) {
		return cty.NullVal(block.ImpliedType())
	}
	return changed(actual)
}

// settled replaces unknown values.
func settled(value cty.Value) cty.Value {
	return transform(value, func(part cty.Value) cty.Value {
		if part.IsKnown() {
			return part
		}
		return knownValue(part.Type(), inState)
	})
}

// changed replaces, in half of the calls, some parts below the root.
func changed(value cty.Value) cty.Value {
	if oneIn(2) {
		return value
	}
	root := value.Type()
	return transform(value, func(part cty.Value) cty.Value {
		if part.Type().Equals(root) || !oneIn(10) {
			return part
		}
		return randomValue(part.Type(), inConfig)
	})
}

// transform replaces each part, the innermost first. The order of cty.Transform is random, and a seed
// must repeat its cases.
func transform(value cty.Value, replace func(cty.Value) cty.Value) cty.Value {
	ty := value.Type()
	switch {
	case value.IsNull() || !value.IsKnown():
	case ty.IsObjectType():
		members := map[string]cty.Value{}
		for _, name := range sorted(ty.AttributeTypes()) {
			members[name] = transform(value.GetAttr(name), replace)
		}
		value = cty.ObjectVal(members)
	case ty.IsCollectionType():
		keys, elements := []string{}, []cty.Value{}
		for it := value.ElementIterator(); it.Next(); {
			key, element := it.Element()
			if ty.IsMapType() {
				keys = append(keys, key.AsString())
			}
			elements = append(elements, transform(element, replace))
		}
		value = collectionOf(ty, keys, elements)
	}
	return replace(value)
}

// --- JSON

func sorted[V any](all map[string]V) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func nesting(mode configschema.NestingMode) string {
	return map[configschema.NestingMode]string{
		configschema.NestingSingle: "single", configschema.NestingGroup: "group",
		configschema.NestingList: "list", configschema.NestingSet: "set", configschema.NestingMap: "map",
	}[mode]
}

func blockJSON(block *configschema.Block) any {
	blocks := map[string]any{}
	for name, nested := range block.BlockTypes {
		blocks[name] = []any{nesting(nested.Nesting), blockJSON(&nested.Block)}
	}
	return []any{attributesJSON(block.Attributes), blocks}
}

func attributesJSON(all map[string]*configschema.Attribute) any {
	attributes := map[string]any{}
	for name, attribute := range all {
		flags := ""
		for at, set := range []bool{attribute.Computed, attribute.Optional, attribute.Required} {
			if set {
				flags += "cor"[at : at+1]
			}
		}
		if nested := attribute.NestedType; nested != nil {
			attributes[name] = []any{flags, nesting(nested.Nesting), attributesJSON(nested.Attributes)}
		} else {
			attributes[name] = []any{flags, attribute.Type}
		}
	}
	return attributes
}

func valueJSON(value cty.Value) any {
	ty := value.Type()
	switch {
	case !value.IsKnown():
		return map[string]int{"?": 0}
	case value.IsNull():
		return nil
	case ty == cty.Bool:
		return value.True()
	case ty == cty.String:
		return value.AsString()
	case ty == cty.Number:
		return json.Number(value.AsBigFloat().Text('f', -1))
	case ty.IsMapType():
		entries := map[string]any{}
		for key, entry := range value.AsValueMap() {
			entries[key] = valueJSON(entry)
		}
		return entries
	}
	items := []any{}
	if ty.IsObjectType() {
		for _, name := range sorted(ty.AttributeTypes()) {
			items = append(items, valueJSON(value.GetAttr(name)))
		}
		return items
	}
	for _, item := range value.AsValueSlice() {
		items = append(items, valueJSON(item))
	}
	return items
}
