//! The types of values, from the schema in the form in which hosts receive it.

use crate::pb::tfplugin6::schema::nested_block::NestingMode as BlockNesting;
use crate::pb::tfplugin6::schema::object::NestingMode;
use crate::pb::tfplugin6::schema::{Attribute, Block, NestedBlock};
use crate::wire::{Field, Nesting, ObjectShape, Role, Type};

pub(crate) fn of_block(block: &Block) -> ObjectShape {
    let blocks = block.block_types.iter().map(nested_block);
    ObjectShape::new(block.attributes.iter().map(attribute).chain(blocks).collect())
}

fn nested_block(nested: &NestedBlock) -> Field {
    let object = Type::Object(nested.block.as_ref().map(of_block).unwrap_or_default());
    let (nesting, ty) = match nested.nesting() {
        BlockNesting::Single | BlockNesting::Invalid => (Nesting::Single, object),
        BlockNesting::Group => (Nesting::Group, object),
        BlockNesting::List if nested.max_items == 1 => {
            (Nesting::Optional, Type::List(Box::new(object)))
        }
        BlockNesting::List => (Nesting::List, Type::List(Box::new(object))),
        BlockNesting::Set => (Nesting::Set, Type::Set(Box::new(object))),
        BlockNesting::Map => (Nesting::Map, Type::Map(Box::new(object))),
    };
    Field { name: nested.type_name.clone(), ty, role: Role::Block(nesting) }
}

fn attribute(attribute: &Attribute) -> Field {
    let ty = match &attribute.nested_type {
        None => Type::parse(&attribute.r#type).unwrap_or(Type::Dynamic),
        Some(nested) => {
            let fields = nested.attributes.iter().map(self::attribute).collect();
            let object = Type::Object(ObjectShape::new(fields));
            match nested.nesting() {
                NestingMode::Single | NestingMode::Invalid => object,
                NestingMode::List => Type::List(Box::new(object)),
                NestingMode::Set => Type::Set(Box::new(object)),
                NestingMode::Map => Type::Map(Box::new(object)),
            }
        }
    };
    let &Attribute { required, optional, computed, write_only, .. } = attribute;
    let role = Role::Attribute { required, optional, computed, write_only };
    Field { name: attribute.name.clone(), ty, role }
}
