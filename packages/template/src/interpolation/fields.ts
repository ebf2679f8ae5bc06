/** Fields of the namespaces with fixed fields. */
export const ROUTE_FIELDS = ['url', 'host', 'path', 'scheme'] as const;
export const COMPONENT_FIELDS = ['host'] as const;
export const INSTANCE_FIELDS = ['uid', 'name', 'server_id', 'tenant_id', 'profile', 'variant'] as const;
export const TEMPLATE_FIELDS = ['image', 'tag', 'slug', 'name', 'version', 'app_version'] as const;
export const KEYPAIR_FIELDS = ['private', 'public'] as const;
