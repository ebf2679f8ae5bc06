/** What this machine lacks to be a server, and the operations that add it; tests replace them. */
export interface EngineMachine {
  readonly isRoot: boolean;
  /** Whether Debian's packages can be installed. */
  readonly isDebian: boolean;
  /** Login of the person, who needs the group docker if that is not root. */
  readonly user: string;
  /** Command that starts an installed engine. */
  readonly startCommand: string;
  /** Debian packages of engine, routes and `hello` that are missing; with docker.io if the engine itself is. */
  missing(): readonly string[];
  /** Asks a yes-or-no question; undefined without a terminal. */
  ask: ((question: string) => Promise<boolean>) | undefined;
  install(packages: readonly string[]): Promise<void>;
  /** Starts the engine, waits until it answers, and says how it runs. */
  start(): Promise<string>;
  say(line: string): void;
}

/**
 * Installs and starts a container engine if a person agrees, or `HORTUS_INSTALL_ENGINE` does. Resolves with whether an engine
 * answers now; otherwise it has said what to do.
 */
export async function offerEngine(
  machine: EngineMachine,
  { trouble, wish }: { trouble: string; wish: 'ask' | 'yes' | 'no' },
): Promise<boolean> {
  const refuse = (advice: string): false => {
    machine.say(`This machine is not a server: no Docker engine answers (${trouble}). ${advice}`);
    return false;
  };
  if (wish === 'no' || !machine.isDebian) return refuse('Start one, then npm start again.');
  const packages = machine.missing();
  const isInstalled = !packages.includes('docker.io');
  if (!machine.isRoot) {
    const command = isInstalled ? machine.startCommand : `${installCommand(packages)} && ${joinCommand(machine.user)}`;
    const then = isInstalled ? 'npm start again' : 'log in again and npm start again';
    return refuse(`${isInstalled ? 'Start it' : 'Install one'} as root, then ${then}:\n  ${command}`);
  }
  const question = isInstalled
    ? 'Docker is installed, but does not run. Start it?'
    : `Applications need a container engine. Install ${listed(packages)} from Debian's packages and start Docker?`;
  if (wish === 'ask') {
    if (machine.ask === undefined) {
      const what = isInstalled ? 'start it' : 'install and start one';
      const command = isInstalled ? machine.startCommand : installCommand(packages);
      return refuse(
        `HORTUS_INSTALL_ENGINE=yes lets npm start ${what}. Or do it yourself, then npm start again:\n  ${command}`,
      );
    }
    machine.say(`No Docker engine answers (${trouble}).`);
    if (!(await machine.ask(question))) {
      machine.say('This machine is not a server. The service runs without it; npm start asks again.');
      return false;
    }
  }
  if (!isInstalled) await machine.install(packages);
  machine.say(await machine.start());
  return true;
}

const installCommand = (packages: readonly string[]): string =>
  `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;

const joinCommand = (user: string): string => `usermod -aG docker ${user}`;

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
