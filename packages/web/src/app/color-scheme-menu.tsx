import { ActionIcon, isMantineColorScheme, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { MoonIcon, ScreenIcon, SunIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';

const schemes: { readonly [Scheme in MantineColorScheme]: { readonly label: string; readonly icon: ReactNode } } = {
  light: { label: appWords.light, icon: <SunIcon /> },
  dark: { label: appWords.dark, icon: <MoonIcon /> },
  auto: { label: appWords.likeThisDevice, icon: <ScreenIcon /> },
};

export function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { label, icon } = schemes[colorScheme];
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={appWords.coloursNow(label)}>
          {icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => {
            if (isMantineColorScheme(value)) setColorScheme(value);
          }}
        >
          {Object.entries(schemes).map(([scheme, each]) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick rightSection={each.icon}>
              {each.label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
