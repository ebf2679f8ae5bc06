/** Who caused an event: the name if it is known, else the id. */
export function Actor({ actor, name }: { actor: string | null; name: string | undefined }) {
  if (actor === null) return <span className="text-ink-3">the service</span>;
  return name === undefined ? (
    <code className="truncate" title={actor}>
      {actor}
    </code>
  ) : (
    <span className="truncate" title={actor}>
      {name}
    </span>
  );
}
