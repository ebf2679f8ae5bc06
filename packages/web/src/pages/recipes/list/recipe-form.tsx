import type { RecipeDetail } from '@hortus/contract/resources/recipes';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { TextArea } from '../../../parts/text-area.tsx';
import { specText } from '../spec-text.ts';

/** Submits a recipe, or changes one that waits for its review. */
export function RecipeForm({ recipe, onClose }: { recipe?: RecipeDetail; onClose: () => void }) {
  const [slug, setSlug] = useState(recipe?.slug ?? '');
  const [name, setName] = useState(recipe?.name ?? '');
  const [description, setDescription] = useState(recipe?.description ?? '');
  const [spec, setSpec] = useState(recipe ? specText(recipe.spec) : '');
  const create = useOrder('recipes.submit');
  const edit = useOrder('recipes.edit');
  const navigate = useNavigate();
  const { busy, submit, about, problem } = useSubmission(async () => {
    if (recipe) {
      await edit.mutateAsync({ params: { id: recipe.id }, body: { name, description, spec } });
      return onClose();
    }
    const { data } = await create.mutateAsync({ body: { slug, name, description, spec } });
    await navigate({ to: '/recipes/$id', params: { id: data.id } });
  }, ['slug', 'name', 'description', 'spec']);
  const title = recipe ? `Edit ${recipe.name}` : 'Submit a recipe';
  return (
    <Dialog title={title} onClose={onClose} className="w-[820px]!">
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-5 text-ink-2">
          A reviewer reads it before others can. The answer says what the validator found.
        </p>
        <div className="pair">
          <Field
            label="Name"
            autoFocus
            required
            maxLength={120}
            value={name}
            onChange={setName}
            problem={about('name')}
          />
          <Field
            label="Species"
            required
            disabled={recipe !== undefined}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            value={slug}
            onChange={setSlug}
            problem={about('slug')}
            help="Lower-case letters, digits and dashes; the same as slug in the template."
          />
        </div>
        <Field
          label="What it is for"
          maxLength={4000}
          value={description}
          onChange={setDescription}
          problem={about('description')}
        />
        <TextArea
          label="Template"
          note="YAML"
          mono
          rows={14}
          required
          maxLength={65_536}
          value={spec}
          onChange={setSpec}
          problem={about('spec')}
        />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!name.trim() || !slug || !spec.trim()}>
            {recipe ? 'Save' : 'Submit for review'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
