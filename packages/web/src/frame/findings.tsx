import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useApi, useApiWhen } from '../api/query.ts';
import { useMay } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { chooseTheme, themes } from '../theme/theme.ts';
import { useSignOut } from './account-menu.tsx';
import { useOfferedCommands } from './commands.ts';
import { matches } from './matched.tsx';
import { useHasPlace, usePlaces } from './places.ts';

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

const MOST = 6;
const PAUSE_MS = 200;

/** What a text finds: instances, things to do, places, species. Instances come from memory, species from the search of the service. */
export function useFindings(text: string): readonly Group[] {
  const query = text.trim();
  const instances = useInstances(query);
  const actions = useActions(query);
  const places = usePlaceFindings(query);
  const species = useSpecies(query);
  const groups = [
    { title: 'Instances', findings: instances },
    { title: 'Go to', findings: places },
    { title: 'Do', findings: actions },
    { title: 'Catalog', findings: species },
  ];
  return groups.filter(({ findings }) => findings.length > 0);
}

function useInstances(query: string): Finding[] {
  const instances = useApi('overview.read').data?.data.instances ?? [];
  const navigate = useNavigate();
  const exists = useHasPlace();
  if (query === '' || !exists('/instances/$id')) return [];
  return instances
    .filter(({ name }) => matches(name, query))
    .slice(0, MOST)
    .map(({ id, name, species, family }) => ({
      id,
      name,
      note: species,
      picture: <Mark species={species} family={family} size={22} />,
      run: () => void navigate({ to: '/instances/$id' as string, params: { id } as never }),
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
  const signOut = useSignOut();
  const always = [
    ...themes.map((theme) => ({ name: `Use the ${theme} theme`, run: () => chooseTheme(theme) })),
    { name: 'Sign out', run: signOut },
  ];
  // Without a text only the commands of the page; the others would push the places away.
  return [...offered, ...(query === '' ? [] : always)]
    .filter(({ name }) => matches(name, query))
    .map(({ name, run }) => ({ id: `do ${name}`, name, note: '', picture: <Icon name="out" />, run }));
}

function useSpecies(query: string): Finding[] {
  const settled = useSettled(query, PAUSE_MS);
  const may = useMay();
  const navigate = useNavigate();
  const exists = useHasPlace();
  const enabled = settled.length > 1 && may('templates:read') && exists('/catalog/$species');
  const { data } = useApiWhen(enabled, 'templates.list', { query: { q: settled, per_page: MOST } });
  if (!enabled || query === '') return [];
  return (data?.data ?? []).map(({ id, species, name, family }) => ({
    id,
    name,
    note: family,
    picture: <Mark species={species} family={family} size={22} />,
    run: () => void navigate({ to: '/catalog/$species' as string, params: { species } as never }),
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
