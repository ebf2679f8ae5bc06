import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { client } from '../api/client.ts';
import { removePageToken } from '../api/page-token.ts';
import { isSignedOut } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuChoice, MenuItem } from '../parts/menu.tsx';
import { sentenceCase } from '../parts/status.tsx';
import { toastProblem } from '../parts/toast.tsx';
import { chooseTheme, themes, useTheme } from '../theme/theme.ts';

/** Who is signed in, the theme, and the way out. */
export function AccountMenu() {
  const { user, account } = useSession();
  return (
    <div className="flex items-center gap-2 pt-2.5 pr-2 pl-2.5 text-sm text-ink-2">
      <div className="min-w-0 flex-1">
        <b className="block truncate font-[550] text-ink">{user?.name ?? user?.email}</b>
        <span className="block truncate text-ink-3">{account.name}</span>
      </div>
      <AccountButton />
    </div>
  );
}

export function AccountButton() {
  const theme = useTheme();
  const signOut = useSignOut();
  return (
    <Menu
      button={
        <Button kind="quiet" small square aria-label="Theme and account">
          <Icon name="theme" />
        </Button>
      }
    >
      <MenuChoice
        value={theme}
        values={themes.map((value) => ({ value, label: sentenceCase(value) }))}
        onChoose={chooseTheme}
      />
      <MenuItem onSelect={signOut}>
        <span className="w-3" />
        Sign out
      </MenuItem>
    </Menu>
  );
}

export function useSignOut(): () => void {
  const queries = useQueryClient();
  const router = useRouter();
  return () => {
    const signedOut = async () => {
      // Other tabs follow.
      removePageToken();
      await router.navigate({ to: '/sign-in' });
      queries.clear();
    };
    const refused = (error: unknown) =>
      isSignedOut(error) ? signedOut() : toastProblem('You are still signed in.')(error);
    client.call('account.logout').then(signedOut, refused);
  };
}
