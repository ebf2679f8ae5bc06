type Dependencies = Readonly<Record<string, { depends_on?: Readonly<Record<string, unknown>> }>>;

/** Sorts components topologically by their dependencies, otherwise in the given order. */
export function startOrder(components: Dependencies): string[] {
  const order = new Set<string>();
  const entered = new Set<string>();
  const enter = (name: string) => {
    if (entered.has(name) || !Object.hasOwn(components, name)) return;
    entered.add(name);
    for (const dependency of Object.keys(components[name]?.depends_on ?? {})) enter(dependency);
    order.add(name);
  };
  for (const name of Object.keys(components)) enter(name);
  return [...order];
}

/** Finds a cycle, such as `a → b → a`. */
export function findCycle(nodes: Iterable<string>, next: (node: string) => Iterable<string>): string[] | undefined {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (node: string): string[] | undefined => {
    const seen = trail.indexOf(node);
    if (seen !== -1) return [...trail.slice(seen), node];
    if (done.has(node)) return undefined;
    trail.push(node);
    for (const follower of next(node)) {
      const cycle = visit(follower);
      if (cycle !== undefined) return cycle;
    }
    trail.pop();
    done.add(node);
    return undefined;
  };
  for (const node of nodes) {
    const cycle = visit(node);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
