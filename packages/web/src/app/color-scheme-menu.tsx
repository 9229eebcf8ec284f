import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { CheckIcon, MoonIcon, ScreenIcon, SunIcon } from '../ui/icons.tsx';

const schemes: readonly { readonly scheme: MantineColorScheme; readonly label: string; readonly icon: ReactNode }[] = [
  { scheme: 'light', label: 'Light', icon: <SunIcon /> },
  { scheme: 'dark', label: 'Dark', icon: <MoonIcon /> },
  { scheme: 'auto', label: 'Like this device', icon: <ScreenIcon /> },
];

export function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = schemes.find(({ scheme }) => scheme === colorScheme);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Colours: ${current?.label ?? colorScheme}`}>
          {current?.icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ scheme, label, icon }) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={scheme === colorScheme}
            leftSection={icon}
            rightSection={scheme === colorScheme ? <CheckIcon /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
