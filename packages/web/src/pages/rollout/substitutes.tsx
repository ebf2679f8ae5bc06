import type { DeployedImage } from '@hortus/contract/resources/deployment-records';

/** Names the local images that ran in place of images of the template; nothing for most deployments. */
export function Substitutes({ images }: { images: readonly DeployedImage[] }) {
  const replaced = images.filter(({ substitute }) => substitute !== undefined);
  if (replaced.length === 0) return null;
  return (
    <div className="mt-4 text-sm text-ink-2">
      <p>The server ran local images instead of those of the template:</p>
      <ul className="mt-1 list-disc pl-5">
        {replaced.map(({ component, image, substitute }) => (
          <li key={component}>
            {component}: <code className="[overflow-wrap:anywhere]">{substitute}</code> instead of{' '}
            <code className="[overflow-wrap:anywhere]">{image}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
