import { Mark } from './mark.tsx';

const MARKS = [
  ['memos', 'notes', 92],
  ['ghost', 'blog', 120],
  ['umami', 'analytics', 104],
  ['grafana', 'monitoring', 128],
  ['immich', 'photos', 100],
  ['n8n', 'workflow', 124],
  ['vaultwarden', 'password', 96],
  ['outline', 'documentation', 112],
  ['postgres', 'database', 100],
] as const;

/** Plants that are not there yet, as outlines on the ground. `scale` draws them smaller. */
export function PlantOutlines({
  count = MARKS.length,
  scale = 1,
  className,
}: {
  count?: number;
  scale?: number;
  className: string;
}) {
  return (
    <div className={`soil ${className}`} aria-hidden="true">
      {MARKS.slice(0, count).map(([species, family, size], place) => (
        <span key={species} className={place > 4 ? 'max-phone:hidden' : ''}>
          <Mark species={species} family={family} size={size * scale} />
        </span>
      ))}
    </div>
  );
}
