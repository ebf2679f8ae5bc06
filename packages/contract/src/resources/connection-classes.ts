/** An attribute of saved connection details. */
export interface ConnectionAttribute {
  readonly label: string;
  /** Sealed in the vault and never shown. */
  readonly secret?: true;
  readonly required?: true;
  readonly placeholder?: string;
  /** Allowed values. */
  readonly options?: readonly string[];
}

export interface ConnectionClass {
  readonly label: string;
  readonly attributes: Readonly<Record<string, ConnectionAttribute>>;
}

const host = (placeholder: string) => ({ label: 'Host', required: true, placeholder }) as const;
const port = (placeholder: string) => ({ label: 'Port', required: true, placeholder }) as const;
const username = { label: 'User' } as const;
const password = { label: 'Password', secret: true } as const;
const database = { label: 'Database', required: true } as const;
/** May contain a password. */
const url = { label: 'Address, if it differs from the usual one', secret: true } as const;

const server = (label: string, name: string, at: string): ConnectionClass => ({
  label,
  attributes: { host: host(name), port: port(at), database, username, password, url },
});

/**
 * Classes with known attributes, named as the catalog names what its templates provide. Other classes may be saved too,
 * with any attributes.
 */
export const connectionClasses: Readonly<Record<string, ConnectionClass>> = {
  'email.smtp': {
    label: 'Mail server (SMTP)',
    attributes: {
      host: host('smtp.example.org'),
      port: port('587'),
      username,
      password,
      from: { label: 'Sender of mails', placeholder: 'noreply@example.org' },
      security: { label: 'Encryption', options: ['starttls', 'tls', 'none'] },
      url,
    },
  },
  'identity.oidc': {
    label: 'Single sign-on (OpenID Connect)',
    attributes: {
      issuer: { label: 'Issuer', required: true, placeholder: 'https://id.example.org/realms/main' },
      client_id: { label: 'Client id', required: true },
      client_secret: { label: 'Client secret', secret: true },
      discovery_url: { label: 'Discovery address, if it differs from the usual one' },
      authorization_url: { label: 'Authorization address' },
      token_url: { label: 'Token address' },
      userinfo_url: { label: 'User info address' },
    },
  },
  'database.postgres': server('PostgreSQL', 'db.example.org', '5432'),
  'database.mysql': server('MySQL or MariaDB', 'db.example.org', '3306'),
  'database.mongodb': server('MongoDB', 'db.example.org', '27017'),
  'cache.redis': {
    label: 'Redis or Valkey',
    attributes: { host: host('cache.example.org'), port: port('6379'), username, password, url },
  },
  'storage.s3': {
    label: 'Object storage (S3)',
    attributes: {
      endpoint: { label: 'Endpoint', required: true, placeholder: 'https://s3.example.org' },
      region: { label: 'Region', placeholder: 'us-east-1' },
      bucket: { label: 'Bucket', required: true },
      access_key: { label: 'Access key', required: true },
      secret_key: { label: 'Secret key', secret: true, required: true },
      public_url: { label: 'Public address' },
      host: { label: 'Host, if it differs from the endpoint' },
      port: { label: 'Port, if it differs from the endpoint' },
    },
  },
  'queue.mqtt': {
    label: 'Message broker (MQTT)',
    attributes: { host: host('mqtt.example.org'), port: port('1883'), username, password, url },
  },
  'queue.amqp': {
    label: 'Message queue (AMQP)',
    attributes: {
      host: host('mq.example.org'),
      port: port('5672'),
      username,
      password,
      vhost: { label: 'Virtual host', placeholder: '/' },
      url,
    },
  },
  'http.ollama': {
    label: 'Ollama',
    attributes: { url: { label: 'Address', required: true, placeholder: 'http://ollama.example.org:11434' } },
  },
};

/** Attributes of other classes that are shown; all others are treated as secrets. */
const open: ReadonlySet<string> = new Set([
  'bucket',
  'client_id',
  'database',
  'endpoint',
  'from',
  'host',
  'issuer',
  'organization',
  'port',
  'public_url',
  'region',
  'security',
  'server_name',
  'username',
  'vhost',
]);

export const isSecretAttribute = (className: string, attribute: string): boolean => {
  const known = Object.hasOwn(connectionClasses, className) ? connectionClasses[className] : undefined;
  if (known === undefined) return !open.has(attribute);
  return Object.hasOwn(known.attributes, attribute) ? known.attributes[attribute]?.secret === true : true;
};

/** Names of usual credentials, and the sender of mails: neither decides where a connection leads. */
const noAddress: ReadonlySet<string> = new Set([
  'access_token',
  'api_key',
  'client_secret',
  'from',
  'key',
  'password',
  'secret',
  'secret_key',
  'token',
]);

/**
 * Whether the attribute decides where the secrets of a connection are sent, and how. That is every other one: templates
 * build addresses from all parts, and a user name or database with an @ or ? in it can name another host.
 */
export const isAddressAttribute = (attribute: string): boolean => !noAddress.has(attribute);

/** Attributes that a connection of this class must have; none for classes that are not listed. */
export const requiredAttributes = (className: string): readonly string[] =>
  Object.hasOwn(connectionClasses, className)
    ? Object.entries(connectionClasses[className]?.attributes ?? {}).flatMap(([name, { required }]) =>
        required ? [name] : [],
      )
    : [];
