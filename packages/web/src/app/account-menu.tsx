import type { Session } from '@lcs/contract';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useSession } from '../services/queries.ts';
import { PersonIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';
import { useSignOut } from './use-sign-out.ts';

const PasswordDialog = lazy(() => import('./password-dialog.tsx'));
const LeaveTablet = lazy(() => import('./leave-tablet.tsx'));

const labelOf = ({ kind, name, role }: Session): string => {
  if (kind === 'tablet') return appWords.tabletNamed(name);
  return kind === 'person' ? `${name}, ${role}` : appWords.notSignedIn;
};

interface ItemsProps {
  readonly session: Session;
  readonly onDialog: (dialog: 'password' | 'leave') => void;
}

/** What the caller can do about their session. */
function SessionItems({ session, onDialog }: ItemsProps) {
  const signOut = useSignOut();
  if (session.kind === 'tablet')
    return <Menu.Item onClick={() => onDialog('leave')}>{appWords.leaveTabletModeDialog}</Menu.Item>;
  if (session.kind === 'person')
    return (
      <>
        <Menu.Item onClick={() => onDialog('password')}>{appWords.changePasswordDialog}</Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>{appWords.signOut}</Menu.Item>
      </>
    );
  return (
    <>
      <Text size="sm" px="sm" pb="xs">
        {appWords.noPersonExists}
      </Text>
      <Menu.Item component={Link} to="/settings/people">
        {appWords.createFirstAdministrator}
      </Menu.Item>
    </>
  );
}

/** Who uses the web UI, and what they can do about it. */
export function AccountMenu() {
  const session = useSession();
  const [dialog, setDialog] = useState<'password' | 'leave' | null>(null);
  if (session === undefined) return null;
  const label = labelOf(session);
  const close = (): void => setDialog(null);
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={appWords.accountOf(label)}>
            <PersonIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{label}</Menu.Label>
          {session.permissions.includes('audit.inspect') && (
            <Menu.Item component={Link} to="/settings/audit">
              {commonWords.audit}
            </Menu.Item>
          )}
          <SessionItems session={session} onDialog={setDialog} />
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {dialog === 'password' && <PasswordDialog onClose={close} />}
        {dialog === 'leave' && <LeaveTablet onClose={close} />}
      </Suspense>
    </>
  );
}
