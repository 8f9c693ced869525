/** Short texts one after the other, none of which is more than text. */
export const Tags = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text) => (
    <code className="tag" key={text}>
      {text}
    </code>
  ));
