import { adyenSubject } from './adyen-subject.js';
import { exercisePsp } from './exercise-psp.js';

exercisePsp('adyen', adyenSubject);
