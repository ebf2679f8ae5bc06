/** The labels on everything the daemon makes: they, and no file of its own, tell it after a restart what is whose. */
export const label = {
  managed: 'hortus.managed',
  server: 'hortus.server',
  instance: 'hortus.instance',
  definition: 'hortus.definition',
  deployment: 'hortus.deployment',
  revision: 'hortus.revision',
  specHash: 'hortus.spec_hash',
  component: 'hortus.component',
  /** Of the resolved container: the same value means there is nothing to do. */
  config: 'hortus.config',
  /** What it was made of, where that names the very bytes: Podman tells only the tag afterwards. */
  pinnedImage: 'hortus.pinned_image',
  /** 1 for the first of several equal containers of a component. */
  replica: 'hortus.replica',
  /** On the container a person means when they name the instance. */
  primary: 'hortus.primary',
  kind: 'hortus.kind',
  /** How to ask the container whether it is well, as JSON, for a daemon that no longer has the manifest. */
  probe: 'hortus.probe',
  /** The ids, with commas between, of the containers this one was made to replace, and of those that were running. */
  replaces: 'hortus.replaces',
  replacesRunning: 'hortus.replaces_running',
  /** The network a container was started on while its predecessor still served; kept for as long as the container is. */
  home: 'hortus.home',
  /** On throw-away containers of actions, which no deployment touches. */
  execution: 'hortus.execution',
  /** On windows into volumes: which life of a daemon opened it, so that the next one knows those that were left. */
  life: 'hortus.life',
} as const;

/**
 * What an existing network or volume must carry to be used: data of one definition never reaches another one, whatever their
 * names are. Not the server, which may be registered again.
 */
export const ownerLabels: readonly string[] = [label.managed, label.instance, label.definition];
