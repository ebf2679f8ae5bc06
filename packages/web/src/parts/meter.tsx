/** How full something is, in percent; above 80 it warns. Drawn as SVG, because its width is data. */
export function Meter({ label, percent }: { label: string; percent: number }) {
  const value = Math.round(Math.min(100, Math.max(0, percent)));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot be drawn alike in all browsers
    <svg
      className={value > 80 ? 'meter high' : 'meter'}
      viewBox="0 0 100 5"
      preserveAspectRatio="none"
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <rect width={value} height="5" />
    </svg>
  );
}
