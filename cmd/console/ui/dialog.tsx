import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

export interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Whether only its buttons close it. */
  readonly stays?: boolean;
  readonly alert?: boolean;
  /** Whether it hides the page behind it. */
  readonly hides?: boolean;
}

/** A modal dialog. The focus moves into it, stays in it, and returns to where it was. */
export const Dialog = ({ title, onClose, children, stays = false, alert = false, hides = false }: Props) => (
  <ModalOverlay
    className={hides ? 'overlay hides' : 'overlay'}
    isOpen
    isDismissable={!stays}
    isKeyboardDismissDisabled={stays}
    onOpenChange={(open) => open || onClose()}
  >
    <Modal className="modal">
      <AriaDialog className="dialog" role={alert ? 'alertdialog' : 'dialog'}>
        <Heading slot="title" className="dialog-title">
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
