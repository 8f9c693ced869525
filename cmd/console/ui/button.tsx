import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button';

export interface Props extends ButtonProps {
  readonly look?: 'plain' | 'main' | 'danger' | 'quiet';
}

export const Button = ({ look = 'plain', ...props }: Props) => (
  <AriaButton {...props} className={`button ${look}`} />
);
