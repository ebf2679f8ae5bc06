import { imagesOf } from '../canonical/images-of.ts';
import { imageText, isFloating } from '../notation/image-reference.ts';
import { HELLO_IMAGE, HELLO_SPECIES, isMadeImage } from '../notation/made-images.ts';
import { error, type Path, type Remark, warning } from '../source/finding.ts';
import { halfFloating } from './half-floating.ts';
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
  }
  for (const [name, { image }] of Object.entries(spec.components)) {
    if (image === undefined) yield error('no-image', ['components', name], `component ${name} has no image`);
  }
  for (const [path, image] of imagesOf(spec)) {
    const text = imageText(image);
    if (isMadeImage(text)) {
      if (text !== HELLO_IMAGE || spec.slug !== HELLO_SPECIES) yield reserved(path, text);
      continue;
    }
    const version = halfFloating(image);
    if (isFloating(image)) yield floating(path, image.tag);
    else if (version !== undefined) yield incomplete(path, image.tag ?? '', version);
  }
};

function reserved(path: Path, image: string): Remark {
  const message = `${image} is reserved: servers make ${HELLO_IMAGE} themselves for the template ${HELLO_SPECIES}, and no registry has it`;
  return error('reserved-image', path, message, 'name an image of a registry');
}

function floating(path: Path, tag = 'latest'): Remark {
  const message = `the tag ${tag} can move to another image`;
  return { ...warning('floating-tag', path, message, 'name a version or a digest'), within: tag };
}

function incomplete(path: Path, tag: string, version: string): Remark {
  const message = `the tag ${tag} moves to another image with each release of ${version}`;
  const advice = 'name the whole version, or add the digest of the image';
  return { ...warning('half-floating-tag', path, message, advice), within: tag };
}
