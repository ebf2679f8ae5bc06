import type { Template } from '@hortus/contract/resources/templates';
import { Logo } from '../../parts/logo.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Time } from '../../parts/time.tsx';

/** The species as a sheet of a herbarium: its drawing and its label. */
export function Plate({ template }: { template: Template }) {
  const { species, name, family, taxonomy, version, app_version, spec_hash, created_at, author, logo } = template;
  const rows = [
    ['Kingdom', taxonomy.kingdom],
    ['Family', family.replaceAll('_', ' ')],
    ['Template', version],
    ['Application', app_version ?? '–'],
  ] as const;
  return (
    <figure className="sheet plate">
      <div className="drawing">
        <Mark species={species} family={family} size={208} />
        {logo && <Logo url={logo.url} size={48} />}
      </div>
      <figcaption>
        <div className="plate-top">
          <span>Hortus</span>
          <span>{author ?? 'catalog'}</span>
        </div>
        <div className="plate-name">{name}</div>
        <dl>
          {rows.map(([term, value]) => (
            <div key={term} className="contents">
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          <dt>Spec</dt>
          <dd title={spec_hash}>
            <code>
              {spec_hash.slice(7, 11)}…{spec_hash.slice(-4)}
            </code>
          </dd>
          <dt>Published</dt>
          <dd>
            <Time at={created_at} />
          </dd>
          {logo && (
            <>
              <dt>Logo</dt>
              <dd>
                {logo.author},{' '}
                <a className="link" href={logo.source} target="_blank" rel="noreferrer noopener">
                  {logo.license}
                </a>
              </dd>
            </>
          )}
        </dl>
      </figcaption>
    </figure>
  );
}
