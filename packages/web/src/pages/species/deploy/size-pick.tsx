import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { Choice } from '../../../parts/choice.tsx';

interface SizePickProps {
  spec: Canonical;
  profile: string;
  /** Undefined for templates without variants. */
  variant: string | undefined;
  onChangeProfile: (profile: string) => void;
  onChangeVariant: (variant: string) => void;
}

/** Asks for the profile, and for the variant where a template has several. */
export function SizePick({ spec, profile, variant, onChangeProfile, onChangeVariant }: SizePickProps) {
  return (
    <div className="flex flex-wrap gap-x-4">
      <Choice
        label="Profile"
        value={profile}
        values={profilesOf(spec).map((value) => ({ value, label: value }))}
        onChange={onChangeProfile}
      />
      {variant !== undefined && (spec.image?.variants.length ?? 0) > 1 && (
        <Choice
          label="Variant"
          value={variant}
          values={(spec.image?.variants ?? []).map(({ id }) => ({ value: id, label: id }))}
          onChange={onChangeVariant}
        />
      )}
    </div>
  );
}

const SMALL_TO_LARGE = ['minimal', 'development', 'production'];

/** Profiles from small to large; those of the template itself come last. */
function profilesOf(spec: Canonical): string[] {
  const place = (profile: string) => SMALL_TO_LARGE.indexOf(profile) + 1 || SMALL_TO_LARGE.length + 1;
  return Object.keys(spec.profiles).sort((a, b) => place(a) - place(b));
}
