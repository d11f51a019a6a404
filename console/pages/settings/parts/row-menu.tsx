// What can be done with a row of a list. Without anything to do there is no button.
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { settingsTexts } from '../../../text/settings-texts.ts';

export interface RowAction {
  readonly label: string;
  readonly icon: IconName;
  readonly look?: 'danger';
  readonly onChoose: () => void;
}

export function RowMenu({ title, actions }: { readonly title: string; readonly actions: readonly RowAction[] }) {
  if (actions.length === 0) return null;
  const label = settingsTexts.actionsFor(title);
  return (
    <Menu
      label={label}
      align="end"
      button={{ className: 'button quiet only-icon small', label, content: <Icon name="more" /> }}
    >
      {(close) =>
        actions.map(({ label: name, icon, look, onChoose }) => (
          <MenuItem
            key={name}
            {...(look === undefined ? {} : { look })}
            onChoose={() => {
              close();
              onChoose();
            }}
          >
            <Icon name={icon} />
            {name}
          </MenuItem>
        ))
      }
    </Menu>
  );
}
