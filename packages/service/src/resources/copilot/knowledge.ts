import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssistantSource } from '@hortus/contract/resources/copilot';
import { TextIndex } from '../../search/text-index.ts';
import type { Catalog, CatalogTemplate } from '../templates/public.ts';
import { wordsThatMatter } from './question-words.ts';

/** Unit of search: a chapter of the documentation, or a template. */
export interface KnownPassage {
  readonly title: string;
  readonly text: string;
  readonly source: Pick<AssistantSource, 'type' | 'reference'>;
}

/** Share of the question's words that a passage must have; below, it only shares a word with the question. */
const MIN_COVERAGE = 0.34;
/** Smallest score, as a share of the best one, that is still returned. */
const MIN_SHARE = 0.35;
const MAX = 5;
const MIN_PREFIX_LENGTH = 3;
/** Words of a question that are looked up; each costs a search of the whole index. */
const MAX_WORDS = 40;

/** Searches the published catalog and the documentation. Contains no account data. */
export class Knowledge {
  readonly #catalog: Pick<Catalog, 'published' | 'newest' | 'newestOf'>;
  readonly #documents: () => Promise<KnownPassage[]>;
  #index: { readonly from: object | undefined; readonly built: Promise<TextIndex<KnownPassage>> } | undefined;

  constructor(catalog: Pick<Catalog, 'published' | 'newest' | 'newestOf'>, documentation: readonly string[]) {
    this.#catalog = catalog;
    let read: Promise<KnownPassage[]> | undefined;
    this.#documents = () => {
      read ??= readDocumentation(documentation);
      return read;
    };
  }

  /** Returns the best first; empty if nothing matches. */
  async search(question: string): Promise<KnownPassage[]> {
    const asked = [...new Set(wordsThatMatter(question))].slice(0, MAX_WORDS);
    const found = (await this.#current()).search(
      { queries: asked },
      { prefix: (word) => word.length >= MIN_PREFIX_LENGTH },
    );
    const covering = found.filter(({ matched }) => matched >= asked.length * MIN_COVERAGE);
    const best = covering[0]?.score ?? 0;
    return covering
      .filter(({ score }) => score >= best * MIN_SHARE)
      .slice(0, MAX)
      .map(({ item }) => item);
  }

  #current(): Promise<TextIndex<KnownPassage>> {
    const { published } = this.#catalog;
    if (!this.#index || this.#index.from !== published) this.#index = { from: published, built: this.#build() };
    return this.#index.built;
  }

  async #build(): Promise<TextIndex<KnownPassage>> {
    const templates = this.#catalog.newest().flatMap(({ species }) => this.#catalog.newestOf(species) ?? []);
    return TextIndex.build([...templates.map(ofTemplate), ...(await this.#documents())], {
      fieldsOf: ({ title, text }) => ({ title, text }),
      weights: { title: 1.5, text: 1 },
      words: wordsThatMatter,
    });
  }
}

function ofTemplate({ item, spec }: CatalogTemplate): KnownPassage {
  const asked = [...spec.inputs.required, ...spec.inputs.optional].map(({ name, label }) => label ?? name);
  const text = [
    `The template ${item.name} ${item.app_version ?? ''} (species ${item.species}) is ${item.archetype.replaceAll('_', ' ')} of the family ${item.family} in ${item.taxonomy.kingdom}.`,
    item.description,
    item.taxonomy.tags.length > 0 ? `Tags: ${item.taxonomy.tags.join(', ')}.` : '',
    spec.provides.length > 0 ? `It provides ${spec.provides.map((provide) => provide.class).join(', ')}.` : '',
    spec.actions.length > 0 ? `Actions: ${spec.actions.map(({ name }) => name).join(', ')}.` : '',
    asked.length > 0 ? `It asks for ${asked.join(', ')}.` : '',
  ];
  return {
    title: `${item.name} ${item.species}`,
    text: text.filter(Boolean).join(' '),
    source: { type: 'template', reference: item.species },
  };
}

/** Reads Markdown files, one passage per chapter. Missing files are skipped: an installation may omit its docs. */
async function readDocumentation(paths: readonly string[]): Promise<KnownPassage[]> {
  const files = await Promise.all(
    paths.map(async (path) => {
      if (path.endsWith('.md')) return [path];
      const names = await readdir(path).catch(() => []);
      return names.filter((name) => name.endsWith('.md')).map((name) => join(path, name));
    }),
  );
  const texts = await Promise.all(
    files.flat().map(async (file) => chapters(file, await readFile(file, 'utf8').catch(() => ''))),
  );
  return texts.flat();
}

export function chapters(file: string, text: string): KnownPassage[] {
  const name = file.split('/').at(-1) ?? file;
  // A `#` line inside a code block is a shell comment.
  const prose = text
    .split(/^```.*$/m)
    .filter((_, index) => index % 2 === 0)
    .join('');
  return prose.split(/^(?=#{1,3} )/m).flatMap((chapter): KnownPassage[] => {
    const [heading = '', ...lines] = chapter.split('\n');
    const body = lines
      .filter((line) => !/^[|: -]+$/.test(line))
      // Rows of a table end no sentence; each is kept on a line of its own.
      .map((line) => (line.startsWith('|') ? `${line}\n` : line))
      .join(' ')
      .replaceAll(/[`*_|]|\[([^\][]*)\]\([^()]*\)/g, '$1')
      .replaceAll(/[^\S\n]+/g, ' ')
      .replaceAll(/ ?\n ?/g, '\n')
      .trim();
    const title = heading.replace(/^#+\s*/, '').trim();
    if (body === '' || !heading.startsWith('#')) return [];
    return [{ title, text: body, source: { type: 'documentation', reference: `${name}: ${title}` } }];
  });
}
