export interface RunOption {
  /** Placeholder of the value on the command line; switches have none. */
  readonly value?: string;
  /** The default, described where it depends on the machine. */
  readonly standard?: string;
  readonly meaning: string;
}

/** Every option of `hortusd run` and `install`. Help, command line parsing and docs/settings.md are derived from it. */
export const runOptions = {
  url: { value: 'address', meaning: 'Address of the service, such as https://hortus.example.org.' },
  'allow-plaintext': { meaning: 'Send the server key over plain HTTP to another machine; for closed networks only.' },
  'key-file': {
    value: 'path',
    meaning: 'JSON {url, server_id, api_key, manifest_public_key}, or the bare server key.',
  },
  'server-id': { value: 'id', meaning: 'Id of this server, unless the key file has it.' },
  'public-key': {
    value: 'base64',
    meaning: "The service's key, unless the key file has it; pinned at the first start.",
  },
  'state-dir': {
    value: 'path',
    standard: '/var/lib/hortusd',
    meaning: 'Folder of the journal, policy.yaml and pinned keys.',
  },
  'backup-dir': { value: 'path', standard: 'backups in the state directory', meaning: 'Folder of backups.' },
  's3-bucket': { value: 'name', meaning: 'Bucket for backups, instead of a folder.' },
  's3-endpoint': {
    value: 'address',
    standard: 'https://s3.<region>.amazonaws.com',
    meaning: 'Address of the S3 service.',
  },
  's3-region': { value: 'name', standard: 'us-east-1', meaning: 'Region of the S3 service.' },
  's3-prefix': { value: 'path', meaning: 'Prefix of all object names.' },
  's3-path-style': {
    value: 'on|off',
    standard: 'on with --s3-endpoint',
    meaning: 'Put the bucket into the path instead of the host name.',
  },
  's3-credentials-file': { value: 'path', meaning: 'JSON {access_key_id, secret_access_key, session_token?}.' },
  'docker-socket': { value: 'path', standard: '/var/run/docker.sock', meaning: 'Socket of the container engine.' },
  cluster: {
    meaning: 'Drive the Docker Swarm that this engine manages, instead of single containers on this server.',
  },
  'image-substitutes': {
    value: 'path',
    standard: 'none',
    meaning:
      'JSON of images and the local images that run in their place, such as {"docker.io/library/redis": "redis:local"}.',
  },
  caddy: { value: 'path|off', standard: 'caddy in PATH', meaning: 'Program that serves the routes, or off.' },
  'ingress-http': {
    value: 'port',
    standard: '80, or the first free port from 8080 where 80 needs root',
    meaning: 'HTTP port of Caddy.',
  },
  'ingress-https': {
    value: 'port',
    standard: '443, or the first free port from 8443 where 443 needs root',
    meaning: 'HTTPS port of Caddy.',
  },
  'ingress-image': {
    value: 'image',
    standard: 'docker.io/library/caddy:2',
    meaning: 'Image of Caddy on the nodes of a cluster that have the label hortus.ingress=true.',
  },
  'tunnel-image': {
    value: 'image',
    standard: 'docker.io/library/haproxy:lts',
    meaning:
      'Image of HAProxy on the nodes of a cluster, for actions, shells and backups on other nodes, and for smoke tests of isolated copies.',
  },
  'network-pool': {
    value: 'blocks',
    standard: 'chosen to fit the server',
    meaning: 'IPv4 blocks for the subnets of instances, such as 10.254.0.0/16. HORTUS_NETWORK_POOL works too.',
  },
  'drift-every': { value: 'seconds', standard: '120', meaning: 'Interval of drift checks.' },
  'logs-size': {
    value: 'MiB',
    standard: '20',
    meaning: 'Output of containers that is kept for each component, unless its template says otherwise; 0 for none.',
  },
  'logs-days': { value: 'days', standard: '7', meaning: 'Age up to which that output is kept.' },
  'log-level': { value: 'level', standard: 'info', meaning: 'debug, info, warn or error.' },
} as const satisfies Record<string, RunOption>;

export type RunOptionName = keyof typeof runOptions;

export type RunOptions = {
  readonly [Name in RunOptionName]?:
    | ((typeof runOptions)[Name] extends { value: string } ? string : boolean)
    | undefined;
};

/** Settings that have no option, because other users of the machine can read a command line. */
export const secretSettings = {
  HORTUSD_KEY: 'Key of this server, unless the key file has it.',
  HORTUSD_S3_ACCESS_KEY_ID: 'S3 credentials, unless the credentials file has them.',
  HORTUSD_S3_SECRET_ACCESS_KEY: 'S3 credentials, unless the credentials file has them.',
  HORTUSD_S3_SESSION_TOKEN: 'S3 credentials, where they are temporary.',
} as const;

/** Environment variable of an option. */
export const variableOf = (name: RunOptionName): string => `HORTUSD_${name.toUpperCase().replaceAll('-', '_')}`;
