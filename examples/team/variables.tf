variable "eu_base_url" {
  description = "Base address of the service in the EU region."
  type        = string
  default     = "https://eu.access.example.com"
}

variable "us_base_url" {
  description = "Base address of the service in the US region."
  type        = string
  default     = "https://us.access.example.com"
}

variable "eu_api_key" {
  description = "Key of the EU region. Null: ACCESS_API_KEY."
  type        = string
  sensitive   = true
  default     = null
}

variable "us_api_key" {
  description = "Key of the US region. Null: ACCESS_API_KEY."
  type        = string
  sensitive   = true
  default     = null
}
