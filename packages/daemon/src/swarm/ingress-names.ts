/** Names with an underscore, which no instance can have. */
export const INGRESS_NETWORK = 'hortus_ingress';
export const CONTROL_NETWORK = 'hortus_ingress_control';
export const INGRESS_SERVICE = 'hortus_ingress';
export const SOURCE_SERVICE = 'hortus_ingress_source';
/** Port of the source on the control network. */
export const SOURCE_PORT = 2020;

/** Label of the objects of the ingress. They lack `hortus.managed`, because they belong to no instance. */
export const INGRESS_PART = 'hortus.ingress_part';
