import type { Action, Backup, SmokeTest } from '@hortus/contract/template/actions';
import type { Component } from '@hortus/contract/template/component';
import type { Healthcheck } from '@hortus/contract/template/healthcheck';
import type { PublishedPort } from '@hortus/contract/template/host-access';
import type { Image, ImageReference, Variant } from '@hortus/contract/template/image';
import type { Input, Inputs } from '@hortus/contract/template/inputs';
import type { Need, Provision } from '@hortus/contract/template/matching';
import type { Route } from '@hortus/contract/template/routes';
import type { Template } from '@hortus/contract/template/schema';
import type { Secret } from '@hortus/contract/template/secrets';
import type { ConfigFile, Storage } from '@hortus/contract/template/storage';

/** T with these optional keys made required. */
type With<T, K extends keyof T> = Omit<T, K> & { [Key in K]-?: Exclude<T[Key], undefined> };

export type CanonicalInput = With<Input, 'immutable'>;
export type CanonicalSecret = With<Secret, 'external'>;
type CanonicalVariant = With<Variant, 'default'>;
export type CanonicalImage = Omit<Image, 'variants'> & { variants: CanonicalVariant[] };
export type CanonicalRoute = With<Route, 'component' | 'path' | 'strip' | 'tls' | 'primary'>;
export type CanonicalStorage = With<Storage, 'read_only' | 'critical' | 'shared'>;
type CanonicalFile = With<ConfigFile, 'mode' | 'raw'>;
export type CanonicalPort = With<PublishedPort, 'protocol'>;
type CanonicalProbeTimes = With<Healthcheck, 'interval' | 'timeout' | 'retries' | 'start_period'>;
export type CanonicalHealthcheck = Omit<CanonicalProbeTimes, 'http'> & {
  http?: With<NonNullable<Healthcheck['http']>, 'path' | 'scheme'>;
};
export type CanonicalAction = With<Action, 'description' | 'component' | 'timeout' | 'dangerous' | 'params'>;
export type CanonicalBackup = With<Backup, 'strategy' | 'volumes'>;
type CanonicalNeed = With<Need, 'as' | 'optional'>;
type CanonicalProvision = With<Provision, 'attributes'>;

type WrittenOut =
  | 'kind'
  | 'depends_on'
  | 'resources'
  | 'tmpfs'
  | 'ulimits'
  | 'extra_hosts'
  | 'restart'
  | 'replicas'
  | 'network'
  | 'privileged'
  | 'pid'
  | 'ipc'
  | 'read_only'
  | 'init'
  | 'tty'
  | 'labels'
  | 'irreversible'
  | 'stop_grace_period';

type Replaced =
  | 'image'
  | 'env'
  | 'storage'
  | 'ports'
  | 'files'
  | 'healthcheck'
  | 'capabilities'
  | 'confinement'
  | 'devices'
  | 'gpu'
  | 'sysctls';

export type CanonicalComponent = Omit<With<Component, WrittenOut>, Replaced> & {
  /** A string only if it refers to the template's image; every other image is parsed. */
  image: string | ImageReference;
  env: Record<string, string>;
  storage: CanonicalStorage[];
  ports: CanonicalPort[];
  files: CanonicalFile[];
  healthcheck?: CanonicalHealthcheck;
  capabilities: { add: string[]; drop: string[] };
  confinement: {
    seccomp: 'default' | 'unconfined';
    apparmor: 'default' | 'unconfined';
    no_new_privileges: boolean;
    new_privileges?: true;
  };
  devices: { path: string; container_path?: string; access: string }[];
  gpu?: { count: 'all' | number; driver?: string };
  sysctls: Record<string, string>;
};

type Identity = With<
  Template,
  'description' | 'links' | 'featured' | 'deprecated' | 'unverified' | 'deadline' | 'vars'
>;

/** The spec that is hashed, stored and sent: without shorthand, with all defaults, frozen. */
export type Canonical = Pick<
  Identity,
  | 'slug'
  | 'name'
  | 'description'
  | 'version'
  | 'app_version'
  | 'archetype'
  | 'links'
  | 'icon'
  | 'notes'
  | 'upgrade'
  | 'featured'
  | 'deprecated'
  | 'unverified'
  | 'deadline'
  | 'vars'
> & {
  taxonomy: With<Template['taxonomy'], 'tags'>;
  image?: CanonicalImage;
  inputs: { [K in keyof Inputs]-?: CanonicalInput[] };
  secrets: Record<string, CanonicalSecret>;
  routes: CanonicalRoute[];
  components: Record<string, CanonicalComponent>;
  profiles: Record<string, Record<string, unknown>>;
  needs: CanonicalNeed[];
  provides: CanonicalProvision[];
  permissions: NonNullable<Template['permissions']>;
  actions: CanonicalAction[];
  backup: CanonicalBackup;
  smoke: SmokeTest[];
};
