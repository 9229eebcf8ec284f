import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useNewSession } from '../services/use-new-session.ts';
import { Panel } from '../ui/panel.tsx';

const nameField: FieldDescriptor = {
  kind: 'text',
  name: 'name',
  label: 'Name of the tablet',
  hint: 'Such as its place: the list of sessions and the audit show it',
  isRequired: true,
  isFirst: true,
  maxLength: 60,
};

function TabletForm({ onClose }: { readonly onClose: () => void }) {
  const { leader } = useServices();
  const start = useNewSession(({ name }: { readonly name: string }) =>
    leader.startTablet({ body: { name: name.trim() } }),
  );
  const state = useRequestForm(start, { initialValues: { name: '' } });
  const intro = (
    <Text size="sm">
      You are signed out here. From then on this device shows everything, and asks for name and PIN before each action.
      You end it in the list of sessions.
    </Text>
  );
  return (
    <FormDialog
      {...{ state, intro, onClose }}
      title="Make this device a shared tablet"
      fields={[nameField]}
      action="Make it a shared tablet"
    />
  );
}

/** Makes this device one that people share. */
export function TabletPanel() {
  const [isStarting, setStarting] = useState(false);
  return (
    <Panel
      title="Shared tablet"
      aside={
        <Button size="xs" variant="default" onClick={() => setStarting(true)}>
          Use this device…
        </Button>
      }
    >
      {isStarting && <TabletForm onClose={() => setStarting(false)} />}
      <Text size="sm" c="dimmed">
        For a device that stays in the laboratory: it shows everything, and people act at it with their PIN, as
        operators at most.
      </Text>
    </Panel>
  );
}
