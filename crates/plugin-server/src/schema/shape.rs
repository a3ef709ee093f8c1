//! The types of values, from the schema in the form in which hosts receive it.

use crate::pb::tfplugin6::schema::object::NestingMode;
use crate::pb::tfplugin6::schema::{Attribute, Block};
use crate::wire::{Field, ObjectShape, Role, Type};

/// Returns the type of a block's values. Adds the attributes whose type is not served to `wrong`.
pub(crate) fn of_block(block: &Block, wrong: &mut Vec<String>) -> ObjectShape {
    let attributes = block.attributes.iter().filter_map(|field| attribute(field, wrong));
    ObjectShape::new(attributes.collect())
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
        wrong.push(format!("the type of {} is not served", attribute.name));
    }
    let &Attribute { required, optional, computed, .. } = attribute;
    let role = Role::Attribute { required, optional, computed };
    Some(Field { name: attribute.name.clone(), ty: ty?, role })
}
