import type { Forge } from './resources/garden-source-records.ts';

/** Where and what to enter at a forge, in the words of its pages. */
export interface ForgeSettings {
  readonly name: string;
  /** The way to the form of a new webhook, from the page of the repository. */
  readonly menu: readonly string[];
  /** Label of the field for the address. */
  readonly url: string;
  /** Label of the field for the secret. */
  readonly secret: string;
  /** Other fields that matter, with what to choose. */
  readonly choices: readonly (readonly [label: string, choice: string])[];
  /** What the token must allow: reading the repository, and reporting the status of commits. */
  readonly token: string;
}

const json = 'application/json';

/** Shown by command line and console after a repository is followed, and listed in docs/gardens.md. */
export const forgeSettings: Readonly<Record<Forge, ForgeSettings>> = {
  github: {
    name: 'GitHub',
    menu: ['Settings', 'Webhooks', 'Add webhook'],
    url: 'Payload URL',
    secret: 'Secret',
    choices: [
      ['Content type', json],
      ['Which events', 'Just the push event'],
    ],
    token: 'A fine-grained token for this repository with Contents: read and Commit statuses: read and write',
  },
  gitlab: {
    name: 'GitLab',
    menu: ['Settings', 'Webhooks', 'Add new webhook'],
    url: 'URL',
    secret: 'Secret token',
    choices: [['Trigger', 'Push events']],
    token: 'A project access token with the role Developer and the scopes read_repository and api',
  },
  gitea: {
    name: 'Gitea',
    menu: ['Settings', 'Webhooks', 'Add Webhook', 'Gitea'],
    url: 'Target URL',
    secret: 'Secret',
    choices: [
      ['POST Content Type', json],
      ['Trigger On', 'Push Events'],
    ],
    token: 'An access token with repository: read and write',
  },
  forgejo: {
    name: 'Forgejo',
    menu: ['Settings', 'Webhooks', 'Add webhook', 'Forgejo'],
    url: 'Target URL',
    secret: 'Secret',
    choices: [
      ['POST content type', json],
      ['Trigger on', 'Push events'],
    ],
    token: 'An access token with repository: read and write',
  },
};

/** For a repository whose forge is not known. */
export const anyForge: Omit<ForgeSettings, 'name' | 'token'> = {
  menu: ['Settings', 'Webhooks'],
  url: 'URL',
  secret: 'Secret',
  choices: [
    ['Content type', json],
    ['Events', 'Push'],
  ],
};
