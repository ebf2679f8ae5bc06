/** Labels on everything that the daemon creates. After a restart the daemon recognises its objects by them alone. */
export const label = {
  managed: 'hortus.managed',
  server: 'hortus.server',
  instance: 'hortus.instance',
  definition: 'hortus.definition',
  deployment: 'hortus.deployment',
  revision: 'hortus.revision',
  specHash: 'hortus.spec_hash',
  component: 'hortus.component',
  /** Hash of the resolved container; an equal value means no change. */
  config: 'hortus.config',
  /** Image with digest that it was created from; Podman reports only the tag afterwards. */
  pinnedImage: 'hortus.pinned_image',
  /** Image of the manifest, on a container that was created from a local substitute. */
  substituted: 'hortus.substituted_image',
  /** 1 for the first of several equal containers of a component. */
  replica: 'hortus.replica',
  /** On the container that represents the instance to people. */
  primary: 'hortus.primary',
  kind: 'hortus.kind',
  /** Health check as JSON, for a daemon that no longer has the manifest. */
  probe: 'hortus.probe',
  /** Ids of the containers that this one replaces, separated by commas, and of those that were running. */
  replaces: 'hortus.replaces',
  replacesRunning: 'hortus.replaces_running',
  /** Network that a container was created on beside its predecessor; it exists as long as the container. */
  home: 'hortus.home',
  /** On networks between instances: the definition and the component that its owner uses. */
  linkTo: 'hortus.link_to',
  linkComponent: 'hortus.link_component',
  /** On temporary containers of actions, which deployments ignore. */
  execution: 'hortus.execution',
  /** On relays to tasks of a Swarm. They lack `hortus.managed`, because they are no component of the instance. */
  taskRelay: 'hortus.task_relay',
  /**
   * On helper containers of volumes: identifies the daemon process that opened it, so that a later one can remove
   * leftovers.
   */
  life: 'hortus.life',
} as const;

/**
 * Labels that an existing network or volume must carry to be used, so that data of one definition never reaches another
 * with the same name. The server is not included, because it may be registered again.
 */
export const ownerLabels: readonly string[] = [label.managed, label.instance, label.definition];

export interface Owner {
  serverId: string;
  uid: string;
  definitionId: string;
}

/** Returns the labels of everything that belongs to an instance. */
export const labelsOf = ({ serverId, uid, definitionId }: Owner): Record<string, string> => ({
  [label.managed]: 'true',
  [label.server]: serverId,
  [label.instance]: uid,
  [label.definition]: definitionId,
});
