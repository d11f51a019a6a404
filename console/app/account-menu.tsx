// Who is signed in, whether the page is live, the theme, and the way out.
import { useLocation } from 'wouter';
import { useLiveState } from '../data/live.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuCheck, MenuItem } from '../parts/menu.tsx';
import { texts } from '../text/texts.ts';
import { auth, type SignedIn } from './auth.ts';
import { paths } from './routes.ts';
import { bearer, leave } from './session.ts';
import { chooseTheme, type Theme, useTheme } from './theme.ts';

export function AccountMenu({ who }: { readonly who: SignedIn }) {
  const live = useLiveState();
  const theme = useTheme();
  const [, go] = useLocation();
  const signOut = async () => {
    await auth.signOut(await bearer()).catch(() => undefined);
    leave();
  };
  const themes: readonly (readonly [Theme, string])[] = [
    ['light', texts.light],
    ['dark', texts.dark],
    ['system', texts.system],
  ];
  return (
    <Menu
      label={texts.account}
      side="above"
      button={{
        className: 'nav-entry account',
        content: (
          <>
            <Avatar name={who.member.name} />
            <span className="one-line">{who.member.name}</span>
            <span className={`live ${live}`} role="status">
              {texts[live]}
            </span>
          </>
        ),
      }}
    >
      {(close) => (
        <>
          <MenuItem
            onChoose={() => {
              close();
              go(paths.account());
            }}
          >
            <Icon name="person" />
            {texts.account}
          </MenuItem>
          <hr className="menu-line" />
          <p className="menu-label">{texts.theme}</p>
          {themes.map(([value, label]) => (
            <MenuCheck key={value} kind="one" isChecked={theme === value} onChoose={() => chooseTheme(value)}>
              {label}
            </MenuCheck>
          ))}
          <hr className="menu-line" />
          <MenuItem onChoose={() => void signOut()}>
            <Icon name="signOut" />
            {texts.signOut}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
