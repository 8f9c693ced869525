import { expect, test } from '@jest/globals';
import { imageValues } from './agentimage.js';

test('the repository becomes a value of the chart', () => {
  for (const imageRepository of ['management-apiserver', 'registry.example:5000/a/management-apiserver'])
    expect(imageValues({ imageRepository, set: [] })).toEqual([`image.repository=${imageRepository}`]);
});

test('without one a further value or another chart names the image', () => {
  expect(imageValues({ set: ['image.tag=a,image.repository=b'] })).toEqual([]);
  expect(imageValues({ set: [], chart: 'oci://registry.example/agent' })).toEqual([]);
  expect(() => imageValues({ set: ['image.tag=a'] })).toThrow('--image-repository');
});

test.each(['REGISTRY/management-apiserver', 'management-apiserver:0.1.0', 'a/b@sha256:0', 'https://a/b', ''])(
  '%s is no repository',
  (imageRepository) => {
    expect(() => imageValues({ imageRepository, set: [] })).toThrow('without a tag');
  },
);
