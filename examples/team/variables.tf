variable "eu_base_url" {
  description = "Base address of the service in the EU region."
  type        = string
}

variable "us_base_url" {
  description = "Base address of the service in the US region."
  type        = string
}

variable "eu_api_key" {
  description = "API key of the EU region. ACCESS_API_KEY if null."
  type        = string
  sensitive   = true
  ephemeral   = true
  default     = null
}

variable "us_api_key" {
  description = "API key of the US region. ACCESS_API_KEY if null."
  type        = string
  sensitive   = true
  ephemeral   = true
  default     = null
}
