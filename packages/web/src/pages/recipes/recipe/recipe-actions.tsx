import type { RecipeDetail } from '@hortus/contract/resources/recipes';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder, useRenew } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { RecipeForm } from '../list/recipe-form.tsx';
import { RejectRecipe } from './reject-recipe.tsx';

type Opened = 'edit' | 'reject' | 'withdraw' | 'delete';

/** What the person may do with a recipe: vote, change an own one, review. */
export function RecipeActions({ recipe }: { recipe: RecipeDetail }) {
  const { id, name, status, mine, upvoted, valid } = recipe;
  const may = useMay();
  const [open, setOpen] = useState<Opened>();
  const upvote = useOrder('recipes.upvote');
  const approve = useOrder('recipes.approve');
  const withdraw = useOrder('recipes.withdraw');
  const remove = useOrder('recipes.delete');
  const renew = useRenew();
  const navigate = useNavigate();
  const close = () => setOpen(undefined);
  const mayWrite = may('recipes:write');
  const mayReview = may('admin') && status === 'pending';
  const isMine = mine && mayWrite;
  const vote = () =>
    upvote.mutateAsync({ params: { id } }).then(() => {
      renew('recipes.');
      toast(`You voted for ${name}.`);
    }, toastProblem('The vote was not counted.'));
  const accept = () =>
    approve.mutateAsync({ params: { id } }).then(
      () => {
        renew('recipes.');
        toast(`${name} is in the catalog.`);
      },
      toastProblem(`${name} was not approved.`),
    );
  return (
    <>
      {mayWrite && status === 'approved' && (
        <Button disabled={upvoted} busy={upvote.isPending} onClick={vote}>
          {upvoted ? 'Upvoted' : 'Upvote'}
        </Button>
      )}
      {isMine && status === 'pending' && <Button onClick={() => setOpen('edit')}>Edit…</Button>}
      {mayReview && (
        <>
          <Button onClick={() => setOpen('reject')}>Reject…</Button>
          <Button
            kind="primary"
            disabled={!valid}
            title={valid ? undefined : 'Its template has errors.'}
            busy={approve.isPending}
            onClick={accept}
          >
            Approve
          </Button>
        </>
      )}
      {(isMine || (mayWrite && may('admin'))) && (
        <Menu
          button={
            <Button square aria-label={`More for ${name}`}>
              <Icon name="more" />
            </Button>
          }
        >
          {isMine && (status === 'pending' || status === 'approved') && (
            <MenuItem onSelect={() => setOpen('withdraw')}>Withdraw…</MenuItem>
          )}
          <MenuItem danger onSelect={() => setOpen('delete')}>
            Delete…
          </MenuItem>
        </Menu>
      )}
      {open === 'edit' && <RecipeForm recipe={recipe} onClose={close} />}
      {open === 'reject' && <RejectRecipe recipe={recipe} onClose={close} />}
      {open === 'withdraw' && (
        <ConfirmDanger
          action="Withdraw"
          name={name}
          onConfirm={() => withdraw.mutateAsync({ params: { id } })}
          onClose={close}
        >
          Nobody sees it any more. A template that was published from it stays usable and is marked as deprecated.
        </ConfirmDanger>
      )}
      {open === 'delete' && (
        <ConfirmDanger
          action="Delete"
          name={name}
          onConfirm={async () => {
            await remove.mutateAsync({ params: { id } });
            renew('recipes.');
            await navigate({ to: '/recipes' });
          }}
          onClose={close}
        >
          The recipe and its upvotes are gone. A template that was published from it stays and is marked as deprecated.
        </ConfirmDanger>
      )}
    </>
  );
}
