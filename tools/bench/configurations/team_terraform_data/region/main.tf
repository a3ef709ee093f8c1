variable "directory" {
  type = string
}

module "listing" {
  source   = "./listing"
  for_each = { for file in fileset(var.directory, "listings/*.yaml") : trimsuffix(basename(file), ".yaml") => file }

  listing = each.key
  file    = "${var.directory}/${each.value}"
}

output "roles" {
  value = { for id, listing in module.listing : id => listing.roles }
}
