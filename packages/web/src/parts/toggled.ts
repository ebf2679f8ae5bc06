/** A set with one member put in or taken out; the given set stays as it is. */
export function toggled<Member>(set: ReadonlySet<Member>, member: Member): ReadonlySet<Member> {
  const next = new Set(set);
  if (!next.delete(member)) next.add(member);
  return next;
}
