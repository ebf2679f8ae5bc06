import type { RecipeDetail } from '@hortus/contract/resources/recipes';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Copy } from '../../../parts/copy.tsx';
import { Mark } from '../../../parts/mark.tsx';
import { OutputText } from '../../../parts/output-text.tsx';
import { Page, Section } from '../../../parts/page.tsx';
import { Status, Tag } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { recipeTones } from '../recipe-tones.ts';
import { specText } from '../spec-text.ts';
import { RecipeActions } from './recipe-actions.tsx';

/** One recipe: what it is, what the validator found, and its template. */
export function RecipePage(): ReactNode {
  const { id } = useParams({ from: '/frame/recipes/$id' });
  const query = useApi('recipes.read', { params: { id } });
  const recipe = query.data?.data;
  return (
    <Page
      title={recipe?.name ?? 'Recipe'}
      sentence={
        recipe ? (
          <span className="flex items-center gap-4">
            <Mark species={recipe.slug} family={null} size={72} />
            <span className="[overflow-wrap:anywhere]">{recipe.name}</span>
          </span>
        ) : (
          'Recipe'
        )
      }
      actions={recipe && <RecipeActions recipe={recipe} />}
    >
      <Loaded query={query} lines={12}>
        {({ data }) => <About recipe={data} />}
      </Loaded>
    </Page>
  );
}

function About({ recipe }: { recipe: RecipeDetail }) {
  const { description, slug, author, mine, status, upvotes, reason, created_at, findings, template_id } = recipe;
  const text = specText(recipe.spec);
  return (
    <>
      {description && <p className="mb-6 max-w-[62ch] text-lg text-ink-2 [overflow-wrap:anywhere]">{description}</p>}
      <dl className="facts mb-9 max-w-[720px]">
        <dt>State</dt>
        <dd>
          <Status state={status} tone={recipeTones[status]} />
          {reason && <p className="mt-1 text-ink-2">{reason}</p>}
        </dd>
        <dt>Species</dt>
        <dd>
          {template_id ? (
            <Link to="/catalog/$species" params={{ species: slug }} className="link">
              {slug}
            </Link>
          ) : (
            slug
          )}
        </dd>
        <dt>From</dt>
        <dd>{mine ? `${author} (you)` : author}</dd>
        <dt>Upvotes</dt>
        <dd>{upvotes}</dd>
        <dt>Submitted</dt>
        <dd>
          <Time at={created_at} ago />
        </dd>
      </dl>
      <Section title="What the validator found" note={counted(findings.length, 'finding')} className="mb-9">
        {findings.length === 0 && <p className="text-ok-ink">Nothing to complain about.</p>}
        <ul className="records">
          {findings.map(({ severity, line, column, path, message, suggestion }) => (
            <li key={`${line} ${column} ${path} ${message}`} className="text-sm">
              <Tag tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Tag> line {line}: {message}{' '}
              <code className="text-ink-3">{path}</code>
              {suggestion && <p className="mt-1 text-ink-2">{suggestion}</p>}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Template" more={<Copy text={text} label="Copy template" />}>
        <OutputText label="Template" text={text} />
      </Section>
    </>
  );
}
