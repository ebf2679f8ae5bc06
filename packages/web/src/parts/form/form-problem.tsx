/** What the service said about a whole form. */
export function FormProblem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p role="alert" className="mb-4 text-sm text-bad-ink">
      {text}
    </p>
  );
}
