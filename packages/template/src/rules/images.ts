import { error, type Path, type Remark, warning } from '../finding.ts';
import { isFloating } from '../image-reference.ts';
import { type Rule, repeated } from './rule.ts';

export const images: Rule = function* (spec) {
  if (spec.image !== undefined) {
    const { variants, tag } = spec.image;
    const standard = variants.filter((variant) => variant.default);
    if (variants.length > 0 && standard.length !== 1) {
      yield error(
        'default-variant',
        ['image', 'variants'],
        `exactly one variant must be the default, not ${standard.length}`,
      );
    } else if (standard[0] && tag !== undefined && standard[0].tag !== tag) {
      yield error(
        'default-variant',
        ['image', 'tag'],
        `differs from the tag ${standard[0].tag} of the default variant`,
      );
    }
    for (const [index, id] of repeated(variants, (variant) => variant.id)) {
      yield error('duplicate', ['image', 'variants', index, 'id'], `another variant has the id ${id}`);
    }
    for (const [index, tag] of repeated(variants, (variant) => `${variant.tag}${variant.digest ?? ''}`)) {
      yield error('duplicate', ['image', 'variants', index, 'tag'], `another variant has the same image ${tag}`);
    }
    for (const [index, variant] of variants.entries()) {
      if (isFloating(variant)) yield floating(['image', 'variants', index, 'tag'], variant.tag);
    }
    if (variants.length === 0 && isFloating(spec.image)) {
      yield floating(['image', 'tag'], tag);
    }
  }
  for (const [name, { image }] of Object.entries(spec.components)) {
    const path = ['components', name, 'image'];
    if (image === undefined) yield error('no-image', ['components', name], `component ${name} has no image`);
    else if (typeof image === 'object' && isFloating(image)) yield floating(path, image.tag);
  }
};

function floating(path: Path, tag = 'latest'): Remark {
  const message = `the tag ${tag} can move to another image`;
  return { ...warning('floating-tag', path, message, 'name a version or a digest'), within: tag };
}
