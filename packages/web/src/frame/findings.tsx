import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useApi, useApiWhen } from '../api/query.ts';
import { useMay } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { chooseTheme, themes } from '../theme/theme.ts';
import { useSignOut } from './account-menu.tsx';
import { type Command, useOfferedCommands } from './commands.ts';
import { useInstanceCommands } from './instance-commands.ts';
import { matches } from './matched.tsx';
import { usePlaces } from './places.ts';

/** One line of the palette. */
export interface Finding {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  readonly picture?: ReactNode;
  readonly run: () => void;
}

export interface Group {
  readonly title: string;
  readonly findings: readonly Finding[];
}

const MAX = 6;
const PAUSE_MS = 200;

/**
 * What a text finds. Instances and servers come from memory; the service searches definitions and species, once for a
 * pause in typing.
 */
export function useFindings(text: string): readonly Group[] {
  const query = text.trim();
  const settled = useSettled(query, PAUSE_MS);
  const groups = [
    { title: 'Instances', findings: useInstances(query) },
    { title: 'Go to', findings: usePlaceFindings(query) },
    { title: 'Do', findings: useActions(query) },
    { title: 'Servers', findings: useServers(query) },
    { title: 'Definitions', findings: useDefinitions(query, settled) },
    { title: 'Catalog', findings: useSpecies(query, settled) },
  ];
  return groups.filter(({ findings }) => findings.length > 0);
}

function useInstances(query: string): Finding[] {
  const instances = useApi('overview.read').data?.data.instances ?? [];
  const navigate = useNavigate();
  if (query === '') return [];
  return instances
    .filter(({ name }) => matches(name, query))
    .slice(0, MAX)
    .map(({ id, name, species, family }) => ({
      id,
      name,
      note: species,
      picture: <Mark species={species} family={family} size={22} />,
      run: () => void navigate({ to: '/instances/$id', params: { id } }),
    }));
}

function useServers(query: string): Finding[] {
  const servers = useApi('overview.read').data?.data.servers ?? [];
  const navigate = useNavigate();
  if (query === '') return [];
  return servers
    .filter(({ name }) => matches(name, query))
    .slice(0, MAX)
    .map(({ id, name, environment }) => ({
      id,
      name,
      note: environment,
      run: () => void navigate({ to: '/servers/$id', params: { id } }),
    }));
}

function useDefinitions(query: string, settled: string): Finding[] {
  const may = useMay();
  const navigate = useNavigate();
  const enabled = settled.length > 1 && may('definitions:read');
  const { data } = useApiWhen(enabled, 'definitions.list', { query: { q: settled, per_page: MAX } });
  if (!enabled || query === '') return [];
  return (data?.data ?? []).map(({ id, name, species, family, current_revision }) => ({
    id,
    name,
    note: `revision ${current_revision}`,
    picture: <Mark species={species} family={family} size={22} />,
    run: () => void navigate({ to: '/definitions/$id', params: { id } }),
  }));
}

function usePlaceFindings(query: string): Finding[] {
  const { all } = usePlaces();
  const navigate = useNavigate();
  return all
    .filter(({ name }) => matches(name, query))
    .map(({ name, to, key }) => ({ id: to, name, note: key ? `g ${key}` : '', run: () => void navigate({ to }) }));
}

function useActions(query: string): Finding[] {
  const offered = useOfferedCommands();
  const ofInstances = useInstanceCommands();
  const signOut = useSignOut();
  const always = [
    ...themes.map((theme) => ({ name: `Use the ${theme} theme`, run: () => chooseTheme(theme) })),
    { name: 'Sign out', run: signOut },
  ];
  // Without a text only the commands of the page; the others would push the places away.
  const found = [...offered, ...(query === '' ? [] : [...always, ...ofInstances])].filter(({ name }) =>
    matches(name, query),
  );
  // The page of an instance offers some of the same; its own come first.
  return [...Map.groupBy(found, ({ name }) => name).values()]
    .map(([first]) => first as Command)
    .slice(0, offered.length + MAX)
    .map(({ name, run }) => ({ id: `do ${name}`, name, note: '', picture: <Icon name="out" />, run }));
}

function useSpecies(query: string, settled: string): Finding[] {
  const may = useMay();
  const navigate = useNavigate();
  const enabled = settled.length > 1 && may('templates:read');
  const { data } = useApiWhen(enabled, 'templates.list', { query: { q: settled, per_page: MAX } });
  if (!enabled || query === '') return [];
  return (data?.data ?? []).map(({ id, species, name, family }) => ({
    id,
    name,
    note: family,
    picture: <Mark species={species} family={family} size={22} />,
    run: () => void navigate({ to: '/catalog/$species', params: { species } }),
  }));
}

/** A value once it has not changed for a while, so that a search asks once per word and not per letter. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
