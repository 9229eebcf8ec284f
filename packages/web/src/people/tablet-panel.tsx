import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useNewSession } from '../services/use-new-session.ts';
import { Panel } from '../ui/panel.tsx';
import { peopleWords } from '../words/people.ts';

const nameField: FieldDescriptor = {
  kind: 'text',
  name: 'name',
  label: peopleWords.nameOfTablet,
  hint: peopleWords.suchAsItsPlace,
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
  const intro = <Text size="sm">{peopleWords.youAreSignedOutHere}</Text>;
  return (
    <FormDialog
      {...{ state, intro, onClose }}
      title={peopleWords.makeThisDeviceSharedTablet}
      fields={[nameField]}
      action={peopleWords.makeItSharedTablet}
    />
  );
}

/** Makes this device one that people share. */
export function TabletPanel() {
  const [isStarting, setStarting] = useState(false);
  return (
    <Panel
      title={peopleWords.sharedTablet}
      aside={
        <Button size="xs" variant="default" onClick={() => setStarting(true)}>
          {peopleWords.useThisDevice}
        </Button>
      }
    >
      {isStarting && <TabletForm onClose={() => setStarting(false)} />}
      <Text size="sm" c="dimmed">
        {peopleWords.tabletHelp}
      </Text>
    </Panel>
  );
}
