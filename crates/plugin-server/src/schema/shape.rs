//! The types of values, from the schema in the form in which hosts receive it.

use crate::pb::tfplugin6::schema::nested_block::NestingMode as BlockNesting;
use crate::pb::tfplugin6::schema::object::NestingMode;
use crate::pb::tfplugin6::schema::{Attribute, Block, NestedBlock};
use crate::wire::{Field, Nesting, ObjectShape, Role, Type};

/// Returns the type of a block's values. Adds the attributes whose type is not served to `wrong`.
pub(crate) fn of_block(block: &Block, wrong: &mut Vec<String>) -> ObjectShape {
    let attributes = block.attributes.iter().filter_map(|field| attribute(field, wrong));
    let mut fields: Vec<Field> = attributes.collect();
    fields.extend(block.block_types.iter().map(|nested| nested_block(nested, wrong)));
    ObjectShape::new(fields)
}

fn nested_block(nested: &NestedBlock, wrong: &mut Vec<String>) -> Field {
    let shape = nested.block.as_ref().map(|block| of_block(block, wrong));
    let object = Type::Object(shape.unwrap_or_default());
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

/// Returns an attribute as a member of its object. `None` if its type is not served, which is added
/// to `wrong`.
fn attribute(attribute: &Attribute, wrong: &mut Vec<String>) -> Option<Field> {
    let ty = match &attribute.nested_type {
        None => Type::parse(&attribute.r#type),
        Some(nested) => {
            let fields = nested.attributes.iter();
            let fields = fields.filter_map(|member| self::attribute(member, wrong)).collect();
            let object = Type::Object(ObjectShape::new(fields));
            Some(match nested.nesting() {
                NestingMode::Single | NestingMode::Invalid => object,
                NestingMode::List => Type::List(Box::new(object)),
                NestingMode::Set => Type::Set(Box::new(object)),
                NestingMode::Map => Type::Map(Box::new(object)),
            })
        }
    };
    if ty.is_none() {
        wrong.push(format!("{} has values of any type, which are not served", attribute.name));
    }
    let &Attribute { required, optional, computed, .. } = attribute;
    let role = Role::Attribute { required, optional, computed };
    Some(Field { name: attribute.name.clone(), ty: ty?, role })
}
